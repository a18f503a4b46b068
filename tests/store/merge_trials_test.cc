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
