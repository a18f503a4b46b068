// A writer that is killed at any instant loses nothing it has stored and leaves whole trials only.
#include <csignal>
#include <cstdint>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/filled_store.h"
#include "tests/store/sample_results.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

constexpr int kSeriesPerTrial = 5;

// Runs planned trials until there are none, a byte into `done` after each.
void write_trials(const std::filesystem::path& folder, const Planned& planned, int done) {
  Store store = Store::open(folder);
  store.put_plan(planned.study_id, make_plan(planned.cells, 2000), "");
  for (const TrialRow& trial : store.trials(planned.study_id)) {
    if (trial.state != TrialState::kPlanned) {
      continue;
    }
    store.mark_running(trial.id, planned.session_id, "now");
    TrialRecord record = make_record(trial, {});
    record.series.clear();
    for (int i = 0; i < kSeriesPerTrial; ++i) {
      record.series.push_back(
          make_series("m" + std::to_string(i), std::vector<double>(500, 1.0 / (i + 3.0))));
    }
    store.finish_trial(record, false);
    if (::write(done, "x", 1) != 1) {
      return;
    }
  }
}

// Starts a writer, kills it `delay_us` after its first trial; the number of trials it said were
// stored.
std::int64_t run_and_kill(const std::filesystem::path& folder,
                          const Planned& planned,
                          unsigned delay_us) {
  int done[2] = {-1, -1};
  if (::pipe(done) != 0) {
    return -1;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(done[0]);
    write_trials(folder, planned, done[1]);
    ::_exit(0);
  }
  ::close(done[1]);
  char byte = 0;
  std::int64_t stored = ::read(done[0], &byte, 1);
  ::usleep(delay_us);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  while (::read(done[0], &byte, 1) == 1) {
    ++stored;
  }
  ::close(done[0]);
  return WIFSIGNALED(status) ? stored : -1;
}

std::int64_t number(const Store& store, const std::string& sql) {
  return std::get<std::int64_t>(store.query(sql).rows.at(0).at(0));
}

}  // namespace

TEST_CASE("a writer killed at twenty random instants leaves whole trials only", "[store]") {
  const TemporaryFolder folder;
  Planned planned;
  {
    Store store = Store::open(folder.path());
    planned = plan_small_study(store, 1);
  }
  std::uint32_t random = 20261121;
  std::int64_t stored = 0;

  for (int round = 0; round < 20; ++round) {
    random =
        random * 1664525U + 1013904223U;  // Numerical Recipes' generator: spread is all it needs
    const std::int64_t now = run_and_kill(folder.path(), planned, (random >> 16U) % 20'000U);
    REQUIRE(now >= 1);
    stored += now;

    const Store store = Store::open_read_only(folder.path());

    CAPTURE(round);
    CHECK(std::get<std::string>(store.query("PRAGMA integrity_check").rows.at(0).at(0)) == "ok");
    CHECK(store.query("PRAGMA foreign_key_check").rows.empty());
    const std::int64_t ok = number(store, "SELECT count(*) FROM trial WHERE state = 'ok'");
    // The kill may have fallen between a commit and its byte.
    CHECK(ok >= stored);
    CHECK(ok <= stored + round + 1);
    CHECK(number(store, "SELECT count(*) FROM series") == kSeriesPerTrial * ok);
    CHECK(number(store, "SELECT count(*) FROM telemetry") == ok);
    CHECK(number(store, "SELECT count(*) FROM trial WHERE state = 'running'") <= 1);
    CHECK(number(store, "SELECT count(*) FROM trial") == 4000);
  }
}

TEST_CASE("an exclusion that is killed before its results are stored leaves no older ones",
          "[store]") {
  const TemporaryFolder folder;
  Planned planned;
  {
    Store store = Store::open(folder.path());
    planned = plan_small_study(store);
    finish_all(store, planned);
    store.replace_results(planned.study_id, sample_results(planned));
  }
  const AnnotationRow exclusion{.trial_id = planned.trials.front().id,
                                .at = "now",
                                .kind = AnnotationKind::kExclude,
                                .text = "a backup"};
  const pid_t child = ::fork();
  if (child == 0) {
    Store::open(folder.path()).annotate(exclusion);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));

  Store store = Store::open(folder.path());
  CHECK(number(store, "SELECT count(*) FROM trial WHERE state = 'invalid'") == 1);
  CHECK(number(store, "SELECT count(*) FROM annotation") == 1);
  CHECK(store.results(planned.study_id).estimates.empty());

  // What is refused, and a remark, leave results as they are.
  store.replace_results(planned.study_id, sample_results(planned));
  CHECK_THROWS_WITH(store.annotate(exclusion),
                    "trial 1 is invalid and in no result; only trials that are ok can be excluded");
  store.annotate({.trial_id = exclusion.trial_id,
                  .at = "now",
                  .kind = AnnotationKind::kNote,
                  .text = "a fan"});
  CHECK_FALSE(store.results(planned.study_id).estimates.empty());
  store.annotate({.trial_id = exclusion.trial_id,
                  .at = "now",
                  .kind = AnnotationKind::kInclude,
                  .text = "no backup"});
  CHECK(store.results(planned.study_id).estimates.empty());
}
