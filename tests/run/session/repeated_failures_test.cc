#include "harness/run/session/repeated_failures.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

TrialRow ended(std::int64_t cell, TrialState state, const std::string& reason = "") {
  TrialRow row;
  row.cell_id = cell;
  row.state = state;
  row.reason = reason;
  return row;
}

// Of a session with trials of so many cells.
RepeatedFailures of_cells(std::int64_t cells) {
  RepeatedFailures failures;
  for (std::int64_t cell = 1; cell <= cells; ++cell) {
    failures.add_cells({ended(cell, TrialState::kPlanned)});
  }
  return failures;
}

}  // namespace

TEST_CASE("a cell is given up after three attempts in a row that failed alike", "[run]") {
  RepeatedFailures failures = of_cells(9);
  for (const char* reason : {"exit code 1: port 8001",
                             "exit code 1: no file",
                             "exit code 1: port 8002",
                             "exit code 1: port 80"}) {
    failures.add(ended(1, TrialState::kFailed, reason));
    failures.add(ended(2, TrialState::kOom, reason));
    CHECK_FALSE(failures.is_given_up(1));
  }
  TrialRow other = ended(1, TrialState::kFailed, "exit code 1: port 8003");
  other.exit_code = 7;
  failures.add(other);
  CHECK_FALSE(failures.is_given_up(1));

  for (int i = 0; i < 3; ++i) {
    failures.add(ended(1, TrialState::kTimeout, "no output for 2 min"));
    failures.add(ended(3, TrialState::kUnsupported, "no GPU"));
  }

  CHECK(failures.is_given_up(1));
  CHECK(failures.is_retry_useless(1));
  CHECK_FALSE(failures.is_given_up(2));
  CHECK_FALSE(failures.is_given_up(3));  // that costs nothing
  CHECK_FALSE(failures.is_hopeless());
}

TEST_CASE("a cell that was ok once is flaky and not given up", "[run]") {
  RepeatedFailures failures = of_cells(2);
  failures.add(ended(1, TrialState::kOk));
  for (int i = 0; i < 9; ++i) {
    failures.add(ended(1, TrialState::kFailed, "exit code 1"));
  }

  CHECK_FALSE(failures.is_given_up(1));
  CHECK_FALSE(failures.is_hopeless());
}

TEST_CASE("a run is hopeless when all attempts of five cells, or of all, failed alike", "[run]") {
  RepeatedFailures many = of_cells(24);
  RepeatedFailures two = of_cells(2);
  RepeatedFailures mixed = of_cells(2);
  mixed.add(ended(9, TrialState::kFailed, "exit code 1: no file"));
  for (std::int64_t cell = 1; cell <= 5; ++cell) {
    CHECK_FALSE(many.is_hopeless());
    CHECK(two.is_hopeless() == (cell > 3));
    CHECK(many.is_retry_useless(99) == (cell > 3));
    many.add(ended(cell, TrialState::kFailed, "exit code 1: cell " + std::to_string(cell)));
    two.add(ended(cell % 2, TrialState::kInvalid, "check failed"));
    mixed.add(ended(cell % 2, TrialState::kFailed, "exit code 1"));
  }

  CHECK(many.is_hopeless());
  CHECK(two.is_hopeless());
  CHECK_FALSE(mixed.is_hopeless());
}

TEST_CASE("cells that are added to a plan have to fail as well before a run is hopeless", "[run]") {
  RepeatedFailures failures;
  const auto fail_often = [&](std::int64_t cell) {
    for (std::int64_t i = 0; i < kMostAlike; ++i) {
      failures.add(ended(cell, TrialState::kFailed, "exit code 1"));
    }
  };
  failures.add_cells({});
  failures.add_cells({ended(7, TrialState::kPlanned), ended(8, TrialState::kPlanned)});

  fail_often(7);
  CHECK(failures.is_given_up(7));
  CHECK_FALSE(failures.is_hopeless());
  failures.add_cells({ended(7, TrialState::kPlanned)});  // further blocks of a known cell
  fail_often(8);
  CHECK(failures.is_hopeless());
}

TEST_CASE("reasons are alike apart from their numbers, decimals or not", "[run]") {
  CHECK(without_numbers("1.68 of 2 cores") == without_numbers("2 of 12 cores"));
  CHECK(without_numbers("file v1.txt. End.") == "file v.txt. End.");
}

TEST_CASE("memory and time that some cells lack say nothing of the others", "[run]") {
  for (const TrialState state : {TrialState::kOom, TrialState::kTimeout}) {
    RepeatedFailures failures = of_cells(24);
    for (std::int64_t cell = 1; cell <= 9; ++cell) {
      failures.add(ended(cell, state, "out of it"));
    }
    CHECK_FALSE(failures.is_hopeless());
  }
}
