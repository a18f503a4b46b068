// --set key=value.
#include "harness/study/matrix/matrix.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::problems_of;
using test::study_of;

const std::string kOverridden =
    "version: 1\nstudy: example  # a comment\nworkload: train\n"
    "parameters: {model: mlp-4096, model.layers: 2, precision: fp32}\n"
    "axes: {devices: [1, 2], batch_global: [32, 64]}\n"
    "analysis: {baseline: {devices: 1}, targets: [{name: \"1\", metric: speedup, at_least: "
    "1.5}]}\n";

TEST_CASE("an override replaces, adds and removes what its dotted key names", "[study]") {
  const Study study = study_of(kOverridden,
                               {"trials.count=3",
                                "axes.batch_global=[8, 16]",
                                "parameters.model.layers=1",
                                "axes.env.ALGORITHM=[default, Ring]",
                                "analysis.targets.0.at_least=2",
                                "parameters.precision=null",
                                "limits={timeout: 5s}"});

  CHECK(study.trials.count == 3);
  CHECK(study.axes.at(1).values.at(0) == Value(std::int64_t{8}));
  CHECK(study.axes.at(2).name == "env.ALGORITHM");
  CHECK(study.parameters.at("model.layers") == Value(std::int64_t{1}));
  CHECK_FALSE(study.parameters.contains("precision"));
  CHECK(study.analysis.targets.at(0).at_least == 2.0);
  CHECK(study.limits.timeout_s == 5.0);
}

TEST_CASE("a number of trials is short for their count, in a file and in an override", "[study]") {
  const std::string brief = kOverridden + "trials: 7\n";

  CHECK(study_of(brief).trials.count == 7);
  CHECK(study_hash(study_of(brief)) == study_hash(study_of(kOverridden + "trials: {count: 7}\n")));
  CHECK(study_of(brief, {"trials.count=3"}).trials.count == 3);
  CHECK(study_of(kOverridden, {"trials=4"}).trials.count == 4);
  CHECK_THAT(
      problems_of(kOverridden + "trials: many\n"),
      Catch::StartsWith("s.yaml:7:9: trials.count is \"many\"; an integer from 1 to 100000"));
}

TEST_CASE("a number in quotes, in other digits or out of range says which it is", "[study]") {
  const auto problem = [](const std::string& count) {
    const std::string text = problems_of(kOverridden + "trials: " + count + "\n");
    return text.substr(0, text.find('\n'));
  };
  const std::string is = "s.yaml:7:9: trials.count is ";
  const std::string required = "; an integer from 1 to 100000 is required";
  CHECK(problem("\"7\"") == is + "\"7\"" + required + ", without quotes");
  CHECK(problem("\"many\"") == is + "\"many\"" + required);
  CHECK(problem("0x2") == is + "\"0x2\"" + required + ", in decimal digits without a leading 0");
  CHECK(problem("007") == is + "\"007\"" + required + ", in decimal digits without a leading 0");
  for (const std::string plain : {"0", "-1", "0.5"}) {
    CHECK(problem(plain) == is + "\"" + plain + "\"" + required);
  }
  CHECK_THAT(problems_of(kOverridden, {"cost={per_device_hour: \"3\", source: s}"}),
             Catch::Contains("is \"3\"; a number is required, without quotes"));
}

TEST_CASE("the text kept after overrides parses to an equal study", "[study]") {
  const Study study = study_of(kOverridden, {"trials.count=3", "title=\"yes: # no\""});
  const Study again = study_of(study.source_text);

  CHECK(study_difference(study, again).empty());
  CHECK(again.title == "yes: # no");
  CHECK(again.analysis.targets.at(0).name == "1");
}

TEST_CASE("a carriage return at the end of a value is kept with the text", "[study]") {
  const Study study = study_of(kOverridden + "title: night\r", {"trials.count=3"});

  CHECK(study.title == "night\r");
  CHECK(study_of(study.source_text).title == "night\r");
}

TEST_CASE("a study without overrides keeps its text as it is", "[study]") {
  CHECK(study_of(kOverridden).source_text == kOverridden);
}

TEST_CASE("every valid example means the same after a round trip through its kept text",
          "[study]") {
  for (const auto& path : test::yaml_files("tests/study/examples/valid")) {
    CAPTURE(path);
    const Study study = study_of(test::read_file(path), {"title=changed"});

    CHECK(study_hash(study_of(study.source_text)) == study_hash(study));
  }
}

TEST_CASE("a dotted name of a parameter or a value is one name", "[study]") {
  const Study study = study_of(kOverridden,
                               {"report.labels.model.layers=Layers",
                                "report.published_as.0.5-off=spot",
                                "cost={per_device_hour: 1, investments: [{name: a, price: 1}], "
                                "prices: [{name: 0.5-off, per_device_hour: 0.5}]}",
                                "cost.investments.0.where.devices=2"});
  CHECK(study.labels.at("model.layers") == "Layers");
  CHECK(study.published_as.at("0.5-off") == std::vector<std::string>{"spot"});
}

TEST_CASE("a mistake in an override is reported with the override and without a place", "[study]") {
  CHECK(problems_of(kOverridden, {"trials.count=0"}) ==
        "s.yaml: --set trials.count=0: trials.count is \"0\"; an integer from 1 to 100000 is "
        "required");
  CHECK(problems_of(kOverridden, {"trails.count=3"}) ==
        "s.yaml: --set trails.count=3: unknown key \"trails\" (did you mean \"trials\"?)");
}

TEST_CASE("an override that is none, or leads nowhere, says what is wrong", "[study]") {
  CHECK(problems_of(kOverridden, {"trials"}) ==
        "s.yaml: --set trials: write it as key=value, e.g. trials.count=3");
  CHECK(problems_of(kOverridden, {"trials.count="}) ==
        "s.yaml: --set trials.count=: no value behind the =; to remove the key write null");
  CHECK(problems_of(kOverridden, {"study.name=x"}) ==
        "s.yaml: --set study.name=x: study is a single value, it has no \"name\"");
  CHECK(problems_of(kOverridden, {"analysis.targets.1.at_least=2"}) ==
        "s.yaml: --set analysis.targets.1.at_least=2: analysis.targets is a list of 1; write its "
        "index, from 0, instead of \"1\"");
  CHECK(problems_of(kOverridden, {"title= "}).find("no value behind the =") != std::string::npos);
  for (const char* cut : {"title=Run #2", "title=#2", "title= #2"}) {
    CAPTURE(cut);
    CHECK(problems_of(kOverridden, {cut}).find("YAML drops what follows the #") !=
          std::string::npos);
  }
  CHECK(study_of(kOverridden, {"title=\"Run #2\""}).title == "Run #2");
  CHECK(study_of(kOverridden, {"title=C#"}).title == "C#");
  CHECK(problems_of(kOverridden, {"exlude=null"}) ==
        "s.yaml: --set exlude=null: unknown key \"exlude\" (did you mean \"exclude\"?)");
  CHECK(problems_of(kOverridden, {"limits.timout=null"}) ==
        "s.yaml: --set limits.timout=null: unknown key \"timout\" in limits (did you mean "
        "\"timeout\"?)");
  CHECK(problems_of(kOverridden, {"exclude=null", "limits.timeout=null"}).empty());
  CHECK(problems_of(kOverridden, {"trials..count=2"}).find("a name is missing") !=
        std::string::npos);
  CHECK(problems_of(kOverridden, {"axes.devices=[1"}).find("this is not valid YAML") !=
        std::string::npos);
}

}  // namespace
