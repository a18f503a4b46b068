// What a report says was run, asked and declared, and of a study of which nothing was measured.
#include <algorithm>
#include <cstdlib>

#include "harness/report/rules/lint.h"
#include "harness/report/rules/trust.h"
#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/sections/view_texts.h"
#include "tests/report/shipped_study.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Contains;
using test::nothing_measured;
using test::pairs_in;
using test::text_in;

namespace {

std::string varied(const ReportInput& input) {
  return pairs_in(build_view(input, {}), "axes", "name", "value");
}

LintResult rule(const ReportInput& input, const std::string& name) {
  const std::vector<LintResult> results = lint(input);
  return *std::ranges::find(results, name, &LintResult::rule);
}

}  // namespace

// 25,276,502,016 / 2^30 = 23.5406.
TEST_CASE("sizes among the facts of a machine have a readable unit", "[report]") {
  ReportInput input = test::read_sample();
  input.sessions.front().environment.push_back({"memory_bytes", "25276502016"});

  CHECK_THAT(pairs_in(build_view(input, {}), "environment", "name", "value"),
             Contains("memory_bytes: 23.54 GiB"));
  input.sessions.front().environment.push_back({"numa_nodes", "0"});  // one, whose number is 0
  CHECK_THAT(pairs_in(build_view(input, {}), "environment", "name", "value"),
             Contains("numa_nodes: node 0"));
  input.sessions.front().environment.back().value = "0-3";
  CHECK_THAT(pairs_in(build_view(input, {}), "environment", "name", "value"),
             Contains("numa_nodes: nodes 0-3"));
}

// Another kernel keeps some more for itself.
TEST_CASE("sizes that differ by less than is shown are told in full", "[report]") {
  ReportInput input = test::read_sample();
  REQUIRE(input.sessions.size() == 2);
  input.sessions[0].environment.push_back({"memory_bytes", "25276502016"});
  input.sessions[1].environment.push_back({"memory_bytes", "25276506112"});

  CHECK_THAT(pairs_in(build_view(input, {}), "environment", "name", "value"),
             Contains("25276502016 (session 1); 25276506112 (session 2)"));
}

TEST_CASE("defaults that a time depends on are told in one line", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(text_in(build_view(input, {}), "defaults"),
             Contains("precision fp32, optimizer sgd, learning rate 0.001, momentum 0.9") &&
                 Contains("seed 1") && Contains("strategy ddp") && Contains("overlap none") &&
                 Contains("first bucket 1 MiB, bucket 25 MiB") && !Contains("model"));

  input.declared.parameters["precision"] = std::string("bf16");  // stands among what is fixed
  CHECK_THAT(text_in(build_view(input, {}), "defaults"), !Contains("precision"));

  for (CellRow& cell : input.cells) {
    cell.devices = 1;  // nothing is sent
  }
  CHECK_THAT(text_in(build_view(input, {}), "defaults"),
             !Contains("bucket") && Contains("strategy"));

  input.cells[1].parameters.push_back({"optimizer", "adamw", ValueKind::kText, false});
  CHECK_THAT(text_in(build_view(input, {}), "defaults"), Contains("optimizer sgd or adamw"));
  input.declared.parameters["optimizer"] = std::string("adamw");  // which has no momentum
  CHECK_THAT(text_in(build_view(input, {}), "defaults"), !Contains("momentum"));
}

TEST_CASE("a model is told with its parameters, and training with what it computes in",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto fixed = [&] { return pairs_in(build_view(input, {}), "parameters", "name", "value"); };
  const std::string model = std::get<std::string>(input.declared.parameters.at("model"));
  CHECK_THAT(fixed(), Contains("model: " + model + "; "));
  CHECK(text_in(build_view(input, {}), "precision_and_optimizer") ==
        "precision fp32, optimizer sgd");

  for (const CellRow& cell : input.cells) {
    EstimateRow size;
    size.cell_id = cell.id;
    size.metric = "parameter_count";
    size.statistic = Statistic::kMean;
    size.value = 258432.0;
    input.results.estimates.push_back(size);
  }
  input.make_index();
  CHECK_THAT(fixed(), Contains("model: " + model + " (258,432 parameters); "));
  input.results.estimates.back().value = 1e6;  // layers vary
  CHECK_THAT(fixed(), Contains("model: " + model + "; "));

  input.cells.front().parameters.push_back({"precision", "bf16", ValueKind::kText, true});
  CHECK_THAT(text_in(build_view(input, {}), "precision_and_optimizer"),
             Contains("bf16") && Contains(" or fp32"));
}

TEST_CASE("each setting has a line on whether it was applied", "[report]") {
  ReportInput input = test::read_sample();
  const auto knobs = [&] {
    input.make_index();
    const View view = build_view(input, {});
    const auto& tables = std::get<View::List>(view.values().at("knobs"));
    std::string text;
    for (const View& row :
         tables.empty() ? View::List() : std::get<View::List>(tables[0].values().at("rows"))) {
      text += text_in(row, "setting") + " " + text_in(row, "asked") + ": " + text_in(row, "state") +
              " in " + text_in(row, "cells") + "; ";
    }
    return text;
  };
  CHECK(knobs().empty());

  const std::string name = "OMPI_MCA_coll_tuned_allreduce_algorithm";
  for (std::size_t i = 0; i < 4; ++i) {  // the first leaves it to Open MPI
    const std::string values[] = {"default", "ring", "rabenseifner", "4"};
    input.cells[i].parameters.push_back({"env." + name, values[i], ValueKind::kText, true});
    for (const std::int64_t trial : input.used_trials(input.cells[i].id)) {
      input.settings[trial][name] = i == 3 ? 0.0 : 1.0;
    }
  }
  input.declared.labels["env." + name] = "algorithm";
  CHECK(knobs() == "algorithm ring, rabenseifner: applied in 2; algorithm 4: overridden in 1; ");

  input.settings.erase(input.used_trials(input.cells[1].id).front());
  CHECK_THAT(knobs(), Contains("algorithm ring: unconfirmed in 1; "));
}

TEST_CASE("what varies has words, units, the study's labels and what refine added", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(varied(input) == "devices: 1, 2, 4; global batch (samples): 64, 256, 1024; ");

  for (const std::int64_t value : {128, 96, 96}) {
    Addition& addition = input.declared.additions.emplace_back();
    addition.axis = "batch_global";
    addition.value = value;
  }
  input.declared.labels["batch_global"] = "samples a step";
  input.declared.axes.push_back({"interconnect.bandwidth", {0.0, 1000.0, 100.0}});
  CHECK(varied(input) ==
        "devices: 1, 2, 4; samples a step: 64, 256, 1024; added by refine: 96, 128; "
        "bandwidth of links: none, 1 Gbit/s, 100 Mbit/s; ");

  input.declared.largest.emplace();
  CHECK_THAT(varied(input), Contains("1024; added by the search: 96, 128; "));
}

TEST_CASE("sides are told with what they change", "[report]") {
  ReportInput input = test::read_sample();
  const std::string commit = "a0cb7dd1f0c2d7f5a0e1b2c3d4e5f60718293a4b";
  input.declared.sides = {{"env-1df371b5", "", {{"LIBV", "1"}}, {}},
                          {"here", "", {}, {}},
                          {"old", "v1.2", {}, {"nice", "-n5"}},
                          {"a0cb7dd1", commit, {}, {}}};
  input.declared.analysis.baseline = {{"side", Value(std::string("env-1df371b5"))}};

  CHECK(varied(input) ==
        "devices: 1, 2, 4; global batch (samples): 64, 256, 1024; side: env-1df371b5 (LIBV=1), "
        "here, old (commit v1.2, prefix nice -n5), a0cb7dd1; ");
  CHECK(text_in(build_view(input, {}), "baseline") == "side env-1df371b5 (LIBV=1)");
}

TEST_CASE("stored sentences are shown with the study's labels", "[report]") {
  Store store = Store::open_in_memory();
  const std::int64_t id = test::fill_sample(store);
  const StudyRow study = store.studies().front();
  const auto label = [&](const std::string& name) {
    StudyRow labelled = study;
    labelled.source_text += "report: {labels: {batch_global: " + name + "}}\n";
    store.put_study(labelled);
  };
  label("size");
  Results results = store.results(id);
  results.thresholds.front().finding = "speedup reaches 1x between global batch 64 and 256";
  results.threats.front().finding = "2 devices, batch 64 and batch 640, in batch 64.";
  store.replace_results(id, results);

  CHECK(read_input(store, id).results.thresholds.front().finding ==
        "speedup reaches 1x between size 64 and 256");
  CHECK(read_input(store, id).results.threats.front().finding ==
        "2 devices, size=64 and batch 640, in size=64.");

  // A label that holds the name of a value is put in once.
  label("whole batch");
  CHECK(read_input(store, id).results.thresholds.front().finding ==
        "speedup reaches 1x between whole batch 64 and 256");
}

TEST_CASE("a title or a label that holds a secret shows none, in figures neither", "[report]") {
  Store store = Store::open_in_memory();
  const std::int64_t id = test::fill_sample(store, {.title = "hush-hush, whispered"});
  StudyRow study = store.studies().front();
  study.title = "hush-hush, whispered";
  study.source_text += "report: {labels: {devices: devices of hush-hush}}\nsecret: [TEST_TOK]\n";
  store.put_study(study);
  REQUIRE(setenv("TEST_TOK", "hush-hush", 1) == 0);

  const ReportInput input = read_input(store, id);  // of which figures are drawn
  unsetenv("TEST_TOK");
  CHECK(input.study.title == "(secret), whispered");
  CHECK(input.declared.labels.at("devices") == "devices of (secret)");
}

TEST_CASE("a margin is called declared where the study gives one, not a metric", "[report]") {
  ReportInput input = test::read_sample();  // margin: 2%, which is the default
  const auto declares = [&] {
    return std::get<bool>(build_view(input, {}).values().at("declares_margin"));
  };
  CHECK(declares());

  const std::size_t at = input.study.source_text.find("  margin: 2%\n");
  REQUIRE(at != std::string::npos);
  input.study.source_text.erase(at, std::string("  margin: 2%\n").size());
  CHECK_FALSE(declares());

  input.declared.analysis.metrics = {{.metric = "loss", .margin = 0.01}};
  CHECK_FALSE(declares());
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("Differences below 2 % (loss: 1 %) do not matter to this study "
                      "(`analysis.margin` has its default)."));
}

TEST_CASE("a study of which nothing was measured is not to be trusted", "[report]") {
  CHECK(trust_grade(test::read_sample()) == "low");
  const ReportInput input = nothing_measured();
  CHECK(trust_grade(input) == "not at all");
  CHECK_THAT(trust_basis(input),
             Catch::StartsWith("nothing was measured, 0 of ") && !Contains("session"));

  ReportInput interrupted = input;
  REQUIRE_FALSE(interrupted.trials.front().superseded);
  interrupted.trials.front().state = TrialState::kPlanned;
  CHECK_THAT(trust_basis(interrupted), Catch::StartsWith("nothing was measured, 0 of "));
}

TEST_CASE("times longer than their trials put all numbers in doubt", "[report]") {
  ReportInput input = test::read_sample();
  input.results.threats = {{ThreatKind::kRareSlowTrials, Severity::kWarning, "Slow ones."}};
  CHECK(trust_grade(input) == "medium");
  input.results.threats = {{ThreatKind::kImpossibleTimes, Severity::kWarning, "Another unit."}};
  CHECK(trust_grade(input) == "low");
}

TEST_CASE("load that puts some results in doubt leaves trust in the others", "[report]") {
  ReportInput input = test::read_sample();
  input.results.threats = {{ThreatKind::kLimitedLoad, Severity::kWarning, "On one cell."}};
  CHECK(trust_grade(input) == "medium");
  input.results.threats = {{ThreatKind::kForeignLoad, Severity::kWarning, "On all."}};
  CHECK(trust_grade(input) == "low");
}

TEST_CASE("a study of which nothing was measured keeps no rule on numbers", "[report]") {
  const ReportInput input = nothing_measured();
  CHECK(rule(input, "trials").state == LintState::kBroken);
  CHECK_THAT(rule(input, "trials").finding, Contains("1 device, batch 64 (0)"));
  CHECK(rule(input, "intervals").state == LintState::kNotApplicable);
  CHECK(rule(input, "oversubscription").state == LintState::kNotApplicable);
  CHECK(rule(test::read_sample(), "intervals").state == LintState::kKept);
}

// A study without the limit has the hash of one with 10min.
TEST_CASE("a changed limit is told of its session, whatever the hash says", "[report]") {
  ReportInput input = test::read_sample();
  const std::string text = "version: 1\nstudy: demo\nworkload: command\ncommand: [a]\n";
  REQUIRE(input.sessions.size() == 2);
  REQUIRE(input.sessions[0].row.study_hash == input.sessions[1].row.study_hash);
  input.sessions[0].row.study_text = text;
  input.sessions[1].row.study_text = text + "limits: {timeout: 10min}\n";

  const View view = build_view(input, {});

  const View& table = std::get<View::List>(view.values().at("sessions")).front();
  CHECK(text_in(std::get<View::List>(table.values().at("rows")).at(1), "changes") ==
        "limits.timeout: (not given) -> 600 s");
}

TEST_CASE("declared levels are told with all their digits", "[report]") {
  ReportInput input = test::read_sample();
  input.results.thresholds.front().level = 1.23456789;
  input.results.targets.front().level = 1.23456789;
  const View view = build_view(input, {});
  const auto cell = [&](const char* list, const char* name) {
    const View& table = std::get<View::List>(view.values().at(list)).front();
    return text_in(std::get<View::List>(table.values().at("rows")).front(), name);
  };
  CHECK(cell("thresholds", "level") == "1.23456789x");
  CHECK(cell("targets", "requirement") == "speedup ≥ 1.23456789");
}

TEST_CASE("a target relative to a value that is missing stays a share of it", "[report]") {
  ReportInput input = test::read_sample();
  TargetResultRow& target = input.results.targets.front();
  target.cell_id = input.cells.front().id;
  input.declared.analysis.targets = {{.name = target.name,
                                      .metric = target.metric,
                                      .where = {},
                                      .at_least = 0.95,
                                      .at_most = {},
                                      .source = TargetSource{ReferenceKind::kPublished, "paper"}}};
  const auto requirement = [&](std::optional<double> level) {
    target.level = level;
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at("targets")).front();
    return text_in(std::get<View::List>(table.values().at("rows")).front(), "requirement");
  };
  CHECK(requirement({}) == "speedup ≥ 95 % of published:paper");
  CHECK(requirement(0.95) == "speedup ≥ 0.95");  // of a published 1
  CHECK(requirement(0.95 * 1.6) == "speedup ≥ 1.52");
}

TEST_CASE("a target's level has its unit", "[report]") {
  ReportInput input = test::read_sample();
  TargetResultRow& target = input.results.targets.front();
  target.metric = "step_time_s";
  target.bound = Bound::kAtMost;
  target.level = 0.0125;
  const View view = build_view(input, {});
  const View& table = std::get<View::List>(view.values().at("targets")).front();
  CHECK(text_in(std::get<View::List>(table.values().at("rows")).front(), "requirement") ==
        "step time ≤ 12.5 ms");
}

TEST_CASE("medians that no trial has steps for leave no column, and a reason of their own",
          "[report]") {
  ReportInput input = test::read_sample();
  std::vector<EstimateRow>& estimates = input.results.estimates;
  for (std::size_t i = estimates.size(); i-- > 0;) {
    if (estimates[i].statistic == Statistic::kP50) {
      estimates[i].value = estimates[i].lo = estimates[i].hi = std::nullopt;
      estimates[i].status = RowStatus::kUnattainable;
    } else if (estimates[i].statistic == Statistic::kP95) {
      EstimateRow longest = estimates[i];
      longest.statistic = Statistic::kP99;
      estimates.push_back(longest);
    }
  }
  input.make_index();
  const View view = build_view(input, {});
  const View& table = std::get<View::List>(view.values().at("results")).front();
  std::string headings;
  for (const View& column : std::get<View::List>(table.values().at("columns"))) {
    headings += text_in(column, "heading") + ", ";
  }
  CHECK_THAT(headings, !Contains("p50"));
  std::string notes;
  for (const View& note : std::get<View::List>(table.values().at("notes"))) {
    notes += text_in(note, "note") + "; ";
  }
  CHECK_THAT(notes,
             Contains("No interval for the p50 of the step time: too few steps in a trial") &&
                 Contains("the p95 and p99 of the step time: too few steps beyond"));
  CHECK_FALSE(std::get<bool>(view.values().at("has_quantiles")));
}

TEST_CASE("a p value of a law is told as other p values are", "[report]") {
  ReportInput input = test::read_sample();
  LawRow& law = input.results.laws.front();
  law.parameter = "lack_of_fit_p";
  law.value = 6.424e-14;
  law.lo = law.hi = std::nullopt;
  const View view = build_view(input, {});
  const View& table = std::get<View::List>(view.values().at("laws")).front();
  CHECK(text_in(std::get<View::List>(table.values().at("rows")).front(), "value") == "< 0.0001");
}
