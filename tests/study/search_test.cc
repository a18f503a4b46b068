// The section search of a study file.
#include "harness/study/declared/search.h"

#include "harness/study/parse.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;

namespace {

// A study of two axes; `search` is what its section says, `more` further lines.
std::string search_text(const std::string& search, const std::string& more = "") {
  std::string text = test::kHead;
  text +=
      "parameters: {model: mlp-258k, devices: 2, batch_per_device: 8}\n"
      "axes: {bucket_mb: [25, 4], overlap: [none, poll]}\nsearch: ";
  return text += search + "\n" + more;
}

const std::string kSound = "{over: [bucket_mb, overlap], budget: 4h}";

}  // namespace

TEST_CASE("a search has the first values as its default, and needs no trials", "[study]") {
  const Study study = test::study_of(search_text(kSound));

  REQUIRE(study.search);
  CHECK(study.search->over == std::vector<std::string>{"bucket_mb", "overlap"});
  CHECK(study.search->objective == "throughput");
  CHECK(study.search->budget_s == 4.0 * 3600.0);
  CHECK(!study.search->max_trials);
  CHECK(format_value(study.analysis.baseline.at("bucket_mb")) == "25");
  CHECK(format_value(study.analysis.baseline.at("overlap")) == "none");
  CHECK(study.trials.count == kMostSearchBlocks);
}

TEST_CASE("a search over devices needs to know how much work a step does", "[study]") {
  const auto problems = [](const std::string& more) {
    return test::problems_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{devices}\"]\n"
        "axes: {devices: [1, 2, 4]}\nsearch: {over: [devices], budget: 1h}\n" +
        more);
  };
  const std::string rule = "extract: [{metric: step_time_s, unit: s, regex: 't (.*)'}]\n";
  CHECK_THAT(problems(rule),
             Contains("s.yaml:6:") && Contains("Nothing says how much work a step"));
  CHECK(problems(rule + "parameters: {batch_per_device: 8}\n").empty());
  CHECK(problems("extract: [{metric: step_time_s, from: wall_time}]\n").empty());
}

TEST_CASE("search.defaults names another default", "[study]") {
  const Study study = test::study_of(
      search_text("{over: [bucket_mb, overlap], budget: 4h, defaults: {overlap: poll}}"));

  CHECK(format_value(study.analysis.baseline.at("bucket_mb")) == "25");
  CHECK(format_value(study.analysis.baseline.at("overlap")) == "poll");
}

TEST_CASE("what a search cannot be is said where it stands", "[study]") {
  const auto problems = [](const std::string& search, const std::string& more = "") {
    return test::problems_of(search_text(search, more));
  };

  CHECK_THAT(problems("{over: [bucket_mb], budget: 4h}"),
             Contains("s.yaml:6:") && Contains("search.over leaves out overlap"));
  CHECK_THAT(problems("{over: [bucket_mb, overlapp], budget: 4h}"),
             Contains("overlapp") && Contains("overlap"));
  CHECK_THAT(problems("{over: [bucket_mb, overlap, overlap], budget: 4h}"),
             Contains("search.over has overlap twice"));
  CHECK_THAT(problems("{over: [bucket_mb, overlap]}"), Contains("search.budget is missing"));
  CHECK_THAT(problems("{over: [bucket_mb, overlap], budget: 4h, objective: loss}"),
             Contains("search.objective") && Contains("throughput"));
  CHECK_THAT(problems(kSound, "trials: {count: 3}\n"),
             Contains("trials cannot be combined with search"));
  CHECK_THAT(problems(kSound, "controls: [noop]\n"),
             Contains("controls cannot be combined with search"));
  CHECK_THAT(problems(kSound, "analysis: {baseline: {bucket_mb: 4}}\n"),
             Contains("say which with search.defaults"));
  CHECK_THAT(problems(kSound, "order: {design: batch}\n"), Contains("whole blocks"));
}

TEST_CASE("a search by what one seed fixes is refused", "[study]") {
  const std::string study =
      "version: 1\nstudy: s\nworkload: train\n"
      "parameters: {batch_global: 32, train_samples: 64, held_out_samples: 64, epochs: 2, devices: "
      "2%}\n"
      "axes: {comm_dtype: [fp32, bf16, fp16]}\n"
      "steps: {warmup: 1, measured: rest}\n"
      "analysis: {metrics: [{metric: accuracy, better: higher}]}\n"
      "search: {over: [comm_dtype], objective: accuracy, budget: 1h}\n";
  const auto messages = [&](const std::string& more) {
    std::string of_seeds = study;
    of_seeds.replace(of_seeds.find('%'), 1, more);
    std::string all;
    for (const Problem& problem : parse_study(of_seeds, "s.yaml", {}).problems) {
      all += problem.message + "\n";
    }
    return all;
  };

  CHECK_THAT(messages(""), Contains("add vary_seed: true"));
  CHECK(messages(", vary_seed: true").empty());
}

TEST_CASE("a search goes by the study's margin, so that its objective has none", "[study]") {
  const std::string of_time = "{over: [bucket_mb, overlap], objective: wall_s, budget: 4h}";
  const auto text = [&](const std::string& margin) {
    return search_text(of_time,
                       "analysis: {metrics: [{metric: wall_s, better: lower" + margin + "}]}\n");
  };
  CHECK(test::problems_of(text("")).empty());
  CHECK_THAT(test::problems_of(text(", margin: 1%")), Contains("wall_s has a margin of its own"));
}

TEST_CASE("a default that no cell is, and too few settings, are problems", "[study]") {
  CHECK_THAT(test::problems_of(search_text(kSound, "exclude: [{bucket_mb: 25, overlap: none}]\n")),
             Contains("the default setting {bucket_mb: 25, overlap: none} is not a cell"));
  CHECK_THAT(test::problems_of(search_text(kSound, "exclude: [{bucket_mb: 4}]\n")),
             Contains("a search needs 3 settings, and this study has 2"));
  CHECK(
      test::problems_of(search_text(kSound, "exclude: [{bucket_mb: 4, overlap: poll}]\n")).empty());
  CHECK_THAT(
      test::problems_of(
          search_text("{over: [bucket_mb, overlap, comm_dtype], budget: 4h}",
                      "include: [{bucket_mb: 25, overlap: none, comm_dtype: bf16}]\n")),
      Contains("2 settings are the default {bucket_mb: 25, overlap: none}, and a search has one"));
}
