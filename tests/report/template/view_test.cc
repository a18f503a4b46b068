// What the view says of a study as a whole, and under its tables.
#include <algorithm>
#include <string>

#include "harness/report/input/estimates.h"
#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/search_sample.h"
#include "tests/report/shipped_study.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::text_in;

namespace {

// The first cell of the sample has three ok trials.
TEST_CASE("a search is told setting by setting, and is interim while its race goes on",
          "[report]") {
  ReportInput input = test::sample_of_search();

  const View racing = build_view(input, {});
  const auto& table = std::get<View::List>(racing.values().at("search"));
  const auto& rows = std::get<View::List>(table.front().values().at("rows"));
  REQUIRE(rows.size() == 3);
  CHECK(std::get<std::string>(rows.front().values().at("role")) == "racing");
  CHECK(std::get<std::string>(racing.values().at("search_racing")) == "1");
  CHECK(std::get<View::List>(racing.values().at("search_failures")).size() == 1);
  CHECK(std::get<std::string>(racing.values().at("state")) == "interim: the race is not over");
  CHECK(std::get<std::string>(racing.values().at("basis")).starts_with("partly done, "));

  SearchSettingRow& last = input.results.search_settings.back();
  last.role = SearchRole::kWinner;
  last.is_recommended = true;
  last.finding = "it is a tenth faster";
  const View over = build_view(input, {});
  const auto& answers = std::get<View::List>(over.values().at("answer"));
  CHECK(std::get<std::string>(answers.front().values().at("about")) == "Use");
  CHECK(std::get<std::string>(answers.front().values().at("sentence")) == "it is a tenth faster.");
}

TEST_CASE("trials of a cell that left the study are kept aside and counted so", "[report]") {
  ReportInput input = test::read_sample();
  const auto before = build_view(input, {}).values();
  REQUIRE(input.cells.front().role == CellRole::kMeasured);
  input.cells.front().excluded_reason = "no longer in the study";
  const auto after = build_view(input, {}).values();

  CHECK_FALSE(std::holds_alternative<std::string>(before.at("trials_aside")));
  CHECK(std::get<std::string>(after.at("trials_aside")) == "3");
  const auto planned = [](const auto& values) {
    return std::stoi(std::get<std::string>(values.at("trials_planned")));
  };
  CHECK(planned(before) == planned(after) + 3);
  for (const auto* values : {&before, &after}) {
    CHECK_THAT(std::get<std::string>(values->at("basis")),
               Contains(" of " + std::to_string(planned(*values)) + " trials ok"));
  }
}

TEST_CASE("a margin is called declared before the data unless the analysis changed", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_FALSE(std::get<bool>(build_view(input, {}).values().at("analysis_changed")));

  input.results.threats.push_back(
      {ThreatKind::kChangedAnalysis, Severity::kWarning, "The analysis was changed."});
  CHECK(std::get<bool>(build_view(input, {}).values().at("analysis_changed")));
}

TEST_CASE("margins that metrics have of their own are told beside the study's", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.margin = 0.05;
  CHECK(text_in(build_view(input, {}), "margin") == "5 %");

  input.declared.analysis.metrics = {{.metric = "loss", .margin = 0.0001},
                                     {.metric = "peak_bytes"}};
  CHECK(text_in(build_view(input, {}), "margin") == "5 % (loss: 0.01 %)");
}

// The sample declares 10 measured steps.
TEST_CASE("steps that a floor in time added are told as measured", "[report]") {
  ReportInput input = test::read_sample();
  const auto measured = [&] {
    return std::get<std::string>(build_view(input, {}).values().at("measured_steps"));
  };
  CHECK(measured() == "10");

  input.step_times.at(1).steps = 312;
  CHECK(measured() == "10 to 312");
  input.step_times.clear();
  CHECK(measured() == "10");
}

TEST_CASE("steps of sessions before a change are told beside those of now", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.steps.warmup = 4;
  CHECK(text_in(build_view(input, {}), "warmup") == "after a warm-up of 4 steps");

  input.sessions.front().row.study_hash = "another";
  input.sessions.front().row.study_text = input.study.source_text;  // with a warm-up of 2
  const View view = build_view(input, {});
  CHECK(text_in(view, "warmup") == "after a warm-up of at least 2 steps");
  CHECK(text_in(view, "steps_sentence") ==
        "10 measured after 4 of warm-up. Other sessions: 10 measured after 2 of warm-up.");
}

TEST_CASE("a study without warm-up is told as such, unless a session had one", "[report]") {
  ReportInput input = test::read_sample();
  const auto warmup = [&] { return text_in(build_view(input, {}), "warmup"); };
  CHECK(warmup() == "after a warm-up of 2 steps");
  input.declared.steps.warmup_time_s = 0.2;
  CHECK(warmup() == "after a warm-up of at least 2 steps");

  input.declared.steps.warmup_time_s = 0.0;
  input.declared.steps.warmup = 1;
  CHECK(warmup() == "after a warm-up of 1 step");
  input.declared.steps.warmup = 0;
  CHECK(warmup() == "without warm-up");
  input.declared.steps.warmup_time_s = 0.2;
  CHECK(warmup() == "after a warm-up");
  input.declared.steps.warmup_time_s = 0.0;
  input.sessions.front().row.study_hash = "another";
  input.sessions.front().row.study_text = input.study.source_text;  // with a warm-up of 2
  CHECK(warmup() == "after a warm-up");
  std::string& text = *input.sessions.front().row.study_text;
  text.replace(text.find("warmup: 2"), 9, "warmup: 0");
  CHECK(warmup() == "without warm-up");
}

TEST_CASE("the time of a whole command is not called that of steps that it gives", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.workload = Workload::kCommand;
  const auto said = [&] { return text_in(build_view(input, {}), "step_time_definition"); };
  CHECK(said() ==
        "the mean of the measured step times that the program gives; throughput and all ratios "
        "follow from it.");

  ExtractRule& rule = input.declared.extract.emplace_back();
  rule.metric = "step_time_s";
  rule.from = ExtractSource::kWallTime;
  CHECK(said() == "the time of the whole command; throughput and all ratios follow from it.");
}

TEST_CASE("false alarms are told of the outlier rule that has them alone", "[report]") {
  ReportInput input = test::read_sample();
  const auto is_default = [&] {
    return std::get<bool>(build_view(input, {}).values().at("has_default_outliers"));
  };
  CHECK(is_default());

  input.declared.analysis.outliers.threshold = 5.0;
  CHECK_FALSE(is_default());
  input.declared.analysis.outliers = {.rule = OutlierMethod::kTukey, .threshold = 3.5};
  CHECK_FALSE(is_default());
}

TEST_CASE("a report on GPUs says how far their backend is tested", "[report]") {
  ReportInput input = test::read_sample();
  const auto sentence = [&] {
    return std::get<std::string>(build_view(input, {}).values().at("device_sentence"));
  };
  CHECK(sentence().find("A device is a CPU core here") == 0);
  CHECK_THAT(sentence(), !Contains("fp64"));

  input.declared.axes.push_back({"precision", {std::string("fp32"), std::string("fp64")}});
  CHECK_THAT(sentence(), Contains("Precision fp64 runs in plain loops instead of oneDNN"));
  input.declared.axes.pop_back();

  input.declared.parameters["backend"] = std::string("cuda");
  CHECK(sentence().find("Backend cuda passed its tests on one GPU") == 0);

  input.declared.parameters.erase("backend");
  input.declared.axes.push_back({"backend", {std::string("cpu"), std::string("cuda")}});
  CHECK(sentence().find("with ranks that share one") != std::string::npos);

  input.declared.workload = Workload::kCommand;
  const auto of_command = build_view(input, {}).values().at("device_sentence");
  CHECK_FALSE(std::holds_alternative<std::string>(of_command));
}

TEST_CASE("a projection without a value does not make a study less measured", "[report]") {
  ReportInput input = test::read_sample();
  input.results.laws.front().provenance = Provenance::kProjected;
  input.results.laws.front().value = std::nullopt;
  CHECK(std::get<bool>(build_view(input, {}).values().at("all_measured")));

  input.results.laws.front().value = 12.5;
  CHECK_FALSE(std::get<bool>(build_view(input, {}).values().at("all_measured")));
}

TEST_CASE("laws that say the same about several curves say it once", "[report]") {
  ReportInput input = test::read_sample();
  LawRow law = input.results.laws.front();
  input.results.laws.clear();
  for (const char* batch : {"batch_global=64", "batch_global=256"}) {
    law.group_label = batch;
    law.finding = "it does not apply";
    input.results.laws.push_back(law);
  }

  const View view = build_view(input, {});
  const auto& rows = std::get<View::List>(view.values().at("law_findings"));

  REQUIRE(rows.size() == 1);
  CHECK(std::get<std::string>(rows[0].values().at("finding")) ==
        "Batch 64; batch 256: it does not apply");
}

TEST_CASE("what the columns of a table do not say stands once for the cells that share it",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto remarks = [&input] {
    const View view = build_view(input, {});
    const View& table = std::get<View::List>(view.values().at("speedups")).at(0);
    std::vector<std::string> lines;
    for (const View& row : std::get<View::List>(table.values().at("remarks"))) {
      lines.push_back(std::get<std::string>(row.values().at("cells")) + ": " +
                      std::get<std::string>(row.values().at("remark")));
    }
    return lines;
  };
  const auto set = [&input](const std::function<std::string(std::size_t)>& remark) {
    std::size_t i = 0;
    for (ComparisonRow& row : input.results.comparisons) {
      row.remark = row.quantity == "speedup" ? remark(i++) : "";
    }
    return i;
  };

  const std::size_t speedups = set([](std::size_t) { return "alike"; });
  REQUIRE(speedups == 6);
  CHECK(remarks() == std::vector<std::string>{"All rows: alike"});
  set([](std::size_t i) { return i < 2 ? "few" : ""; });
  CHECK(remarks() == std::vector<std::string>{"2 devices, batch 64; 4 devices, batch 64: few"});
  set([](std::size_t) { return ""; });
  CHECK(remarks().empty());
}

TEST_CASE("intervals of several sessions say so under their table", "[report]") {
  ReportInput input = test::read_sample();
  const auto notes = [&input] {
    const View view = build_view(input, {});
    std::string text;
    for (const View& table : std::get<View::List>(view.values().at("results"))) {
      for (const View& note : std::get<View::List>(table.values().at("notes"))) {
        text += std::get<std::string>(note.values().at("note")) + "\n";
      }
    }
    return text;
  };
  CHECK_THAT(notes(), !Catch::Matchers::Contains("sessions"));

  for (EstimateRow& row : input.results.estimates) {
    row.method = row.method == "mean_ci_t" ? "mean_ci_t_within" : row.method;
  }
  CHECK_THAT(notes(), Catch::Matchers::Contains("hold within the two sessions that ran their"));
  CHECK_THAT(std::get<std::string>(build_view(input, {}).values().at("intervals_over")),
             Catch::Matchers::StartsWith("trials within the two sessions that ran them"));
  input.sessions.push_back(input.sessions.at(0));
  input.sessions.back().row.id = 3;
  for (TrialRow& trial : input.trials) {
    trial.session_id = trial.block == 2 ? 3 : trial.session_id;
  }
  CHECK_THAT(notes(), Catch::Matchers::Contains("hold within the two to four sessions that ran"));
}

TEST_CASE("a report says at what level brackets of comparisons are", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(confidence_text(input) == "95 %");

  for (ComparisonRow& row : input.results.comparisons) {
    row.confidence = row.quantity == "speedup" ? 0.98113957 : 0.98456055;
  }
  const std::string both = "95 % (comparisons: 98.11 to 98.46 %)";
  CHECK(confidence_text(input) == both);
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("Brackets, and half-widths after ±, are " + both +
                      " confidence intervals over trials"));
  // What is of no comparison has one level.
  CHECK_THAT(test::render_kind(input, "scaling"),
             Contains("; a 95 % interval in a table does not."));
}

// Twenty rows of lost trials are shown.
TEST_CASE("one row that is left out is told as many are", "[report]") {
  ReportInput input = test::read_sample();
  std::ptrdiff_t lost = 2;
  for (TrialRow& trial : input.trials) {
    if (trial.state == TrialState::kOk && lost < 21) {
      trial.state = TrialState::kFailed;
      ++lost;
    }
  }
  CHECK_THAT(test::render_kind(input, "scaling"), Contains("\nRows left out: 1.\n"));
}

TEST_CASE("an efficiency has the same ends in all tables", "[report]") {
  ReportInput input = test::read_sample();
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "efficiency") {
      row.value = 2.3;
      row.lo = 0.976;
      row.hi = 5.4;
    }
  }
  const View view = build_view(input, {});
  std::size_t tables = 0;
  for (const char* name : {"pairs", "cells", "overview", "speedups", "sides"}) {
    for (const View& table : std::get<View::List>(view.values().at(name))) {
      ++tables;
      CAPTURE(name);
      const View row = std::get<View::List>(table.values().at("rows")).back();
      CHECK(std::get<std::string>(row.values().at("efficiency")) == "230 [98, 540]");
    }
  }
  CHECK(tables >= 4);
}

TEST_CASE("a report whose cells lack an efficiency says what has one", "[report]") {
  ReportInput input = test::read_sample();
  const std::string said =
      "Efficiency is given only where nothing but devices, nodes and batch differs from the base.";
  CHECK_THAT(test::render_kind(input, "scaling"), !Contains(said));

  const auto row = std::ranges::find_if(input.results.comparisons, [](const ComparisonRow& one) {
    return one.quantity == "efficiency";
  });
  REQUIRE(row != input.results.comparisons.end());
  input.results.comparisons.erase(row);
  input.make_index();
  for (const char* kind : {"scaling", "notes", "second-device"}) {  // cells, overview, sides
    CHECK_THAT(test::render_kind(input, kind), Contains(said));
  }
  input.study.scaling = Scaling::kNone;
  CHECK_THAT(test::render_kind(input, "scaling"), !Contains(said));
}

}  // namespace
