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

}  // namespace

TEST_CASE("a cell is given up after three attempts in a row that failed alike", "[run]") {
  RepeatedFailures failures(9);
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
  RepeatedFailures failures(2);
  failures.add(ended(1, TrialState::kOk));
  for (int i = 0; i < 9; ++i) {
    failures.add(ended(1, TrialState::kFailed, "exit code 1"));
  }

  CHECK_FALSE(failures.is_given_up(1));
  CHECK_FALSE(failures.is_hopeless());
}

TEST_CASE("a run is hopeless when all attempts of five cells, or of all, failed alike", "[run]") {
  RepeatedFailures many(24);
  RepeatedFailures two(2);
  RepeatedFailures mixed(2);
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

TEST_CASE("reasons are alike apart from their numbers, decimals or not", "[run]") {
  CHECK(without_numbers("1.68 of 2 cores") == without_numbers("2 of 12 cores"));
  CHECK(without_numbers("file v1.txt. End.") == "file v.txt. End.");
}

TEST_CASE("memory and time that some cells lack say nothing of the others", "[run]") {
  for (const TrialState state : {TrialState::kOom, TrialState::kTimeout}) {
    RepeatedFailures failures(24);
    for (std::int64_t cell = 1; cell <= 9; ++cell) {
      failures.add(ended(cell, state, "out of it"));
    }
    CHECK_FALSE(failures.is_hopeless());
  }
}
