#include "harness/run/session/eta.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

void add_ok(Eta& eta, std::int64_t cell, double wall_s) {
  eta.add_attempt(cell, wall_s, /*is_ok=*/true, /*is_final=*/true);
}

void add_failed(Eta& eta, std::int64_t cell, double wall_s, bool is_final) {
  eta.add_attempt(cell, wall_s, /*is_ok=*/false, is_final);
}

}  // namespace

TEST_CASE("there is no estimate before a trial has finished", "[run]") {
  const Eta eta;

  CHECK_FALSE(eta.total_s({{1, 5}}).has_value());
  CHECK_FALSE(eta.trial_s(1).has_value());
}

TEST_CASE("cells that differ are estimated each by its own trials", "[run]") {
  Eta eta;
  add_ok(eta, 1, 1.0);
  add_ok(eta, 1, 3.0);
  add_ok(eta, 2, 100.0);

  // 2 x 2 s + 3 x 100 s
  CHECK(eta.total_s({{1, 2}, {2, 3}}) == Approx(304.0));
}

TEST_CASE("a cell that has not run yet is estimated by all trials", "[run]") {
  Eta eta;
  add_ok(eta, 1, 1.0);
  add_ok(eta, 2, 3.0);

  CHECK(eta.total_s({{3, 4}}) == Approx(8.0));
}

TEST_CASE("failures that end quickly do not shorten the estimate", "[run]") {
  Eta eta;
  add_failed(eta, 1, 0.1, /*is_final=*/false);
  add_ok(eta, 1, 20.0);
  add_failed(eta, 1, 0.1, /*is_final=*/true);
  add_failed(eta, 2, 0.1, /*is_final=*/true);

  CHECK(eta.trial_s(1) == Approx(20.0));
  CHECK(eta.trial_s(2) == Approx(20.0));  // what a trial that works takes elsewhere
  CHECK(eta.trial_s(3) == Approx(20.0));
}

TEST_CASE("further attempts and timeouts lengthen the estimate", "[run]") {
  Eta eta;
  add_failed(eta, 1, 10.0, /*is_final=*/false);
  add_ok(eta, 1, 20.0);
  add_failed(eta, 2, 600.0, /*is_final=*/true);

  CHECK(eta.trial_s(1) == Approx(30.0));
  CHECK(eta.trial_s(2) == Approx(600.0));
}

TEST_CASE("what attempts take beside their wall time is part of each trial", "[run]") {
  Eta eta;
  add_ok(eta, 1, 1.0);
  eta.add_beside(0.2);
  add_ok(eta, 2, 3.0);
  eta.add_beside(0.8);

  CHECK(eta.trial_s(1) == Approx(1.5));
  CHECK(eta.total_s({{1, 2}, {3, 4}}) == Approx(2 * 1.5 + 4 * 2.5));
}

TEST_CASE("nobody knows how long the rest takes before a trial has ended ok", "[run]") {
  Eta eta;
  add_failed(eta, 1, 0.1, /*is_final=*/true);

  CHECK_FALSE(eta.total_s({{1, 5}}).has_value());
  CHECK(eta.trial_s(1) == Approx(0.1));
}

// A session of three attempts of 2 s that begin each 5 s, the last of them at second 10: 10 - 2 * 2
// s lie beside the first two, so that one takes 2 + 3 s. One alone tells nothing of that.
TEST_CASE("stored attempts tell what lay beside them, session by session", "[run]") {
  std::vector<TrialRow> trials;
  const auto add = [&](std::int64_t session, const char* started_at) {
    TrialRow& trial = trials.emplace_back();
    trial.cell_id = 1;
    trial.state = TrialState::kOk;
    trial.session_id = session;
    trial.started_at = started_at;
    trial.wall_s = 2.0;
  };
  add(1, "2026-11-23T10:00:05Z");
  add(1, "2026-11-23T10:00:10Z");
  add(1, "2026-11-23T10:00:00Z");
  CHECK(eta_of(trials).total_s({{1, 2}}) == Approx(10.0));
  add(2, "2026-11-24T10:00:00Z");
  trials.emplace_back().cell_id = 1;  // planned
  CHECK(eta_of(trials).total_s({{1, 2}}) == Approx(10.0));
  CHECK(eta_of({trials[3]}).total_s({{1, 2}}) == Approx(4.0));

  // Read again from its logs, an attempt took its time once.
  trials[0].superseded = true;
  trials.push_back(trials[0]);
  trials.back().superseded = false;
  CHECK(eta_of(trials).total_s({{1, 2}}) == Approx(10.0));

  // A pause of two hours is none of what a trial takes, nor is a clock that was set back.
  add(1, "2026-11-23T12:00:10Z");
  CHECK(eta_of(trials).total_s({{1, 2}}) == Approx(10.0));
  for (const char* began :
       {"2026-11-25T10:00:00Z", "2026-11-25T10:00:05Z", "2026-11-25T07:00:00Z"}) {
    add(3, began);
  }
  CHECK(eta_of(trials).total_s({{1, 2}}) == Approx(10.0));

  // A wait for an idle machine that is left out is no pause as well: 3 s beside the others are
  // left.
  std::vector<TrialRow> waited(4, trials[0]);
  const std::vector<std::string> starts{"10:00:00", "10:00:05", "10:30:10", "10:30:15"};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    waited[i].id = static_cast<std::int64_t>(i);
    waited[i].superseded = false;
    waited[i].started_at = "2026-11-26T" + starts[i] + "Z";
  }
  CHECK(eta_of(waited, {{2, 1800.0}}).beside_s() == Approx(3.0));
}
