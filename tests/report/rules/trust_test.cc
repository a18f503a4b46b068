// How far to trust a report, and what is said of its machine before any answer.
#include "harness/report/rules/trust.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

// What stands before every answer; "" if nothing does.
std::string said_first(const ReportInput& input) {
  const auto values = build_view(input, {}).values();
  const auto* text = std::get_if<std::string>(&values.at("worthless"));  // of "" it is no text
  return text == nullptr ? std::string() : *text;
}

// The sample without warnings: session 1 on a machine of two cores, session 2 on one of 64.
ReportInput two_machines() {
  ReportInput input = test::read_sample();
  input.results.threats.clear();
  input.sessions.resize(2, input.sessions.at(0));
  for (const std::size_t i : {0U, 1U}) {
    input.sessions[i].row.id = static_cast<std::int64_t>(i + 1);
    input.sessions[i].environment = {{"cores", i == 0 ? "2" : "64"}};
  }
  return input;
}

}  // namespace

TEST_CASE("warnings of all numbers grade the whole report", "[report]") {
  ReportInput input = test::read_sample();
  const auto trust = [&](const std::vector<ThreatRow>& threats) {
    input.results.threats = threats;
    return std::get<std::string>(build_view(input, {}).values().at("trust"));
  };

  CHECK(trust({}) == "high");
  CHECK(trust({{ThreatKind::kForeignLoad, Severity::kNote, "Some."}}) == "high");
  CHECK(trust({{ThreatKind::kFewTrials, Severity::kWarning, "Few."}}) == "medium");
  CHECK(trust({{ThreatKind::kFewTrials, Severity::kWarning, "Few."},
               {ThreatKind::kForeignLoad, Severity::kWarning, "Much."}}) == "low");
  CHECK(trust({{ThreatKind::kControlFailed, Severity::kWarning, "A cell beats itself."}}) == "low");

  for (EstimateRow& row : input.results.estimates) {  // of one trial a cell
    row.lo.reset();
  }
  CHECK(trust({{ThreatKind::kFewTrials, Severity::kWarning, "Few."}}) == "low");
}

TEST_CASE("trust counts sessions and machines of the trials that count", "[report]") {
  ReportInput input = two_machines();
  input.sessions[1].row.host = "other";
  CHECK_THAT(trust_basis(input), Catch::Contains(" per cell, 2 machines, 2 sessions"));

  for (TrialRow& trial : input.trials) {
    if (trial.session_id == 1) {
      trial.state = TrialState::kFailed;
    }
  }
  CHECK_THAT(trust_basis(input), Catch::Contains(" per cell, 1 machine, 1 session"));
}

TEST_CASE("trials skipped because a smaller batch ran out of memory are counted", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(trust_basis(input), !Catch::Contains("skipped"));
  std::size_t skipped = 0;
  for (TrialRow& trial : input.trials) {
    if (skipped < 3 && !trial.superseded && trial.state == TrialState::kOk &&
        !input.ran_in_excluded_cell(trial)) {
      trial.state = TrialState::kSkipped;
      trial.skip_reason = SkipReason::kTooLarge;
      ++skipped;
    }
  }
  CHECK_THAT(trust_basis(input),
             Catch::Contains(" per cell, 3 skipped because a smaller batch ran out of memory, "));
}

// The sample has 32 trials that ended ok.
TEST_CASE("trials that are given up because cells kept failing are counted", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(trust_basis(input),
             Catch::StartsWith("complete, 32 of 33 trials ok") && !Catch::Contains("given up"));
  std::size_t given_up = 0;
  for (TrialRow& trial : input.trials) {
    if (given_up < 2 && !trial.superseded && trial.state == TrialState::kOk &&
        !input.ran_in_excluded_cell(trial)) {
      trial.state = TrialState::kSkipped;
      trial.skip_reason = SkipReason::kFailures;
      ++given_up;
    }
  }
  CHECK_THAT(trust_basis(input),
             Catch::StartsWith("partly done, 30 of 33 trials ok") &&
                 Catch::Contains(" per cell, 2 given up because cells kept failing, "));
}

// Of the first cell, one of nine that are measured, the sample has three ok trials.
TEST_CASE("an imported study is only partly done while cells have no log", "[report]") {
  ReportInput input = test::read_sample();
  for (TrialRow& trial : input.trials) {
    trial.provenance = TrialProvenance::kImported;
  }
  CHECK_THAT(trust_basis(input),
             Catch::StartsWith("complete, 32 of 33 trials ok, 2 to 3 per cell, machines and "
                               "sessions not recorded"));

  std::erase_if(input.trials,
                [&](const TrialRow& trial) { return trial.cell_id == input.cells.at(0).id; });
  input.make_index();
  CHECK_THAT(trust_basis(input),
             Catch::StartsWith("partly done, 29 of 30 trials ok, 0 to 3 per cell, 1 of 9 cells "
                               "without a log, machines and sessions not recorded"));
}

TEST_CASE("impossible times of half of the trials are said before the load", "[report]") {
  ReportInput input = test::read_sample();
  const auto set_impossible = [&](std::size_t count) {
    std::size_t next = 0;
    for (TrialRow& trial : input.trials) {
      const bool counts = !trial.superseded && trial.state == TrialState::kOk;
      trial.steps_share = counts && next++ < count ? 1.06 : 1.04;
    }
  };
  const std::string impossible =
      "The steps of 16 of 32 trials add up to more than the trial took (impossible times), so "
      "times and rates of their cells are wrong.";
  input.results.threats = {{ThreatKind::kImpossibleTimes, Severity::kWarning, "Another unit."}};
  set_impossible(15);
  CHECK(said_first(input).empty());
  set_impossible(16);
  CHECK(said_first(input) == impossible);

  for (TrialRow& trial : input.trials) {
    trial.foreign_load = 7.0;
  }
  input.make_index();
  CHECK(said_first(input) == impossible + " " + shared_machine_warning(input));
  CHECK_FALSE(shared_machine_warning(input).empty());
}

TEST_CASE("a study without an answer says how many trials or blocks a pair has", "[report]") {
  ReportInput input = test::read_sample({.has_results = false});
  ComparisonRow row;
  row.cell_id = input.cells.at(1).id;
  row.baseline_cell_id = input.cells.at(0).id;
  row.verdict = Verdict::kNotEnoughData;
  row.remark = "1 trial against 1; 2 on each side are needed: others ran in different sessions";
  input.results.comparisons = {row};
  const auto move_later = [&](std::int64_t first, std::int64_t session) {
    for (TrialRow& trial : input.trials) {
      if (trial.cell_id == row.cell_id && trial.block >= first) {
        trial.session_id = session;
      }
    }
    input.make_index();
    return why_no_answer(input);
  };
  const std::string tail =
      " block has trials of both 2 devices, batch 64 and 1 device, batch 64 in one session. A "
      "comparison needs two such blocks.";
  CHECK(move_later(1, 9) == "only one" + tail);
  CHECK(move_later(0, 9) == "no" + tail);

  for (TrialRow& trial : input.trials) {
    const bool is_late = trial.cell_id == row.baseline_cell_id && trial.block > 0;
    trial.state = is_late ? TrialState::kFailed : trial.state;
  }
  CHECK(move_later(0, 9) ==
        "3 trials of 2 devices, batch 64 ended ok, and 1 of 1 device, batch 64. A comparison needs "
        "two of each.");

  for (TrialRow& trial : input.trials) {
    const bool is_of_base = trial.cell_id == row.baseline_cell_id;
    trial.state = is_of_base ? TrialState::kFailed : trial.state;
  }
  input.results.comparisons.front().verdict = Verdict::kBaseFailed;
  CHECK(move_later(0, 9) ==
        "3 trials of 2 devices, batch 64 ended ok, and 0 of 1 device, batch 64. A comparison needs "
        "two of each.");
}

TEST_CASE("a study whose comparisons allow no claim says why instead of asking for trials",
          "[report]") {
  ReportInput input = test::read_sample({.has_results = false});
  ComparisonRow row;
  row.cell_id = input.cells.at(1).id;
  row.baseline_cell_id = input.cells.at(0).id;
  row.verdict = Verdict::kNoClaim;
  input.results.comparisons = {row};

  CHECK(why_no_answer(input) == "2 devices, batch 64: no performance claim (oversubscribed).");
}

TEST_CASE("further warnings of one kind are counted", "[report]") {
  ReportInput input = test::read_sample();
  const std::string text(2000, 'x');
  input.results.threats = {{ThreatKind::kChangedStudy, Severity::kWarning, text},
                           {ThreatKind::kChangedStudy, Severity::kWarning, text + "y"},
                           {ThreatKind::kSequential, Severity::kWarning, text}};

  CHECK(test::text_in(build_view(input, {}), "cautions_kinds") == "changed study (2), sequential");
}

// 5 cores' worth is 8 % of 64 cores; 1 is half of two.
TEST_CASE("load is held to the cores of the machine that its trial ran on", "[report]") {
  ReportInput input = two_machines();
  const auto said = [&](std::int64_t session, double load) {
    for (TrialRow& trial : input.trials) {
      trial.session_id = session;
      trial.foreign_load = load;
    }
    input.make_index();
    return said_first(input);
  };

  CHECK(said(2, 5.0).empty());
  CHECK_THAT(
      said(1, 1.0),
      Catch::Contains("used more than 10 % of the cores of their machine, up to 1.00 cores"));
}

// 1.5 of two cores are 75 %, 10 of 64 are 16 %.
TEST_CASE("the worst load takes the largest share of its machine", "[report]") {
  ReportInput input = two_machines();
  for (TrialRow& trial : input.trials) {
    trial.session_id = trial.block % 2 + 1;
    trial.foreign_load = trial.block % 2 == 0 ? 1.5 : 10.0;
  }
  input.make_index();
  CHECK_THAT(shared_machine_warning(input),
             Catch::Contains("10 % of the cores of their machine, up to 1.50 cores"));

  input.sessions[0].environment.clear();  // its trials are held to 64
  CHECK(shared_machine_warning(input).empty());
  for (TrialRow& trial : input.trials) {
    trial.foreign_load = 10.0;
  }
  CHECK_THAT(shared_machine_warning(input),
             Catch::Contains("10 % of the cores of their machine (64 where not recorded), up to"));
}

TEST_CASE("load above its higher bound is called heavy", "[report]") {
  ReportInput input = test::read_sample();
  for (TrialRow& trial : input.trials) {
    trial.foreign_load = 7.0;
  }
  input.make_index();
  CHECK(said_first(input) ==
        "32 of 32 trials ran under heavy load: other processes used more than 10 % of a core, up "
        "to 7.00 cores.");

  int race = 0;
  for (TrialRow& trial : input.trials) {
    const bool is_raced = trial.state == TrialState::kOk && race < 2;
    trial.part = is_raced ? SearchPart::kRace : trial.part;
    race += is_raced ? 1 : 0;
  }
  CHECK_THAT(shared_machine_warning(input), Catch::StartsWith("30 of 30 trials ran under heavy "));
}

TEST_CASE("where most trials shared the machine, that is said before any answer", "[report]") {
  ReportInput input = test::read_sample();
  const auto said = [&] { return said_first(input); };
  CHECK(said().empty());

  std::size_t i = 0;
  for (TrialRow& trial : input.trials) {
    trial.foreign_load = i++ % 3 == 0 ? 0.0 : 7.0;
  }
  input.make_index();
  CHECK(said().find("used more than 10 % of") != std::string::npos);
  CHECK(said().find("up to 7.00 cores") != std::string::npos);
  input.results.threats = {{ThreatKind::kForeignLoad, Severity::kNote, "No result would change."}};
  CHECK(said().empty());
  input.results.threats = {{ThreatKind::kLimitedLoad, Severity::kWarning, "Times alone."}};
  CHECK(said().empty());
  input.results.threats.push_back({ThreatKind::kForeignLoad, Severity::kWarning, "All."});
  CHECK_FALSE(said().empty());
  input.results.threats.clear();

  for (TrialRow& trial : input.trials) {
    trial.foreign_load = i++ % 3 == 0 ? 7.0 : 0.0;
  }
  CHECK(said().empty());

  const auto said_of = [&](std::size_t count) {  // so many trials under load
    std::size_t next = 0;
    for (TrialRow& trial : input.trials) {
      const bool counts =
          !trial.superseded && trial.state == TrialState::kOk && !input.ran_in_excluded_cell(trial);
      trial.foreign_load = counts && next++ < count ? 7.0 : 0.0;
    }
    input.make_index();
    return said();
  };
  CHECK(said_of(16).empty());  // half of 32
  CHECK_THAT(said_of(17), Catch::StartsWith("17 of 32 trials ran under heavy load: "));
}
