// Readings of one trial's logs that only one of two stores has.
#include "harness/store/merge/merge_trials.h"

#include "harness/study/declared/reading.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// A trial that printed, read again by rules of those hashes.
TrialContent read_by(const std::vector<std::string>& rules) {
  TrialContent trial;
  trial.record.trial.state = TrialState::kOk;
  trial.record.logs = {{LogStream::kStdout, "", "step 1"}};
  for (const std::string& hash : rules) {
    trial.record.logs.push_back({LogStream::kEvent, "", std::string(kReadAgain) + hash});
  }
  return trial;
}

std::string texts_of(const TrialContent& trial) {
  std::string texts;
  for (const LogRow& log : trial.record.logs) {
    texts += log.text + "; ";
  }
  return texts;
}

}  // namespace

TEST_CASE("a trial whose logs one store read again is the same trial", "[store]") {
  TrialContent here = read_by({"b"});
  TrialContent there = read_by({"a"});
  CHECK(same_trial(here, there));
  CHECK(same_trial(here, read_by({})));

  const TrialContent before = here;
  CHECK(add_said_later(here, there));
  CHECK_FALSE(add_said_later(here, there));
  CHECK(add_said_later(there, before));
  CHECK(texts_of(here) == "step 1; read again by rules a; read again by rules b; ");
  CHECK(texts_of(there) == texts_of(here));

  there.record.trial.rules_hash = "a";
  CHECK(same_trial(here, there));
  CHECK(add_said_later(here, there));
  CHECK(here.record.trial.rules_hash == "a");
  here.record.trial.rules_hash = "b";
  CHECK(add_said_later(there, here));
  CHECK_FALSE(add_said_later(here, there));

  there.record.logs[0].text = "step 2";
  CHECK_FALSE(same_trial(here, there));
}

TEST_CASE("a trial without the series of single ranks that prune removed is the same", "[store]") {
  const SeriesRow step{
      .metric = "step_time_s", .unit = "s", .rank = {}, .warmup_n = 0, .values = {0.1, 0.2}};
  SeriesRow rank = step;
  rank.metric = "forward_time_s";
  rank.rank = 1;
  TrialContent whole = read_by({});
  whole.record.series = {step, rank};
  TrialContent pruned = read_by({});
  pruned.record.series = {step};

  CHECK(same_trial(whole, pruned));
  CHECK(same_trial(pruned, whole));
  CHECK_FALSE(add_ranks(whole, pruned));
  CHECK(whole.record.series.size() == 2);
  CHECK(add_ranks(pruned, whole));
  CHECK(pruned.record.series.size() == 2);
  CHECK(pruned.record.series.back().rank == 1);

  TrialContent other = whole;
  other.record.series[1].values = {0.3, 0.4};
  CHECK_FALSE(same_trial(whole, other));
  other.record.series = {rank};  // the series of all ranks is missing
  CHECK_FALSE(same_trial(whole, other));
}
