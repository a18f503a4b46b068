// What a trial wrote: from its bytes to the rows of the store.
#include "harness/run/outcome/outcome.h"
#include "harness/run/outcome/trial_record.h"
#include "tests/fuzz/fuzz.h"
#include "workloads/protocol/reader.h"

void scalestudy::test::fuzz(const std::string& input) {
  TrialEvidence evidence;
  evidence.launch.ending = LaunchEnding::kExited;
  evidence.record = protocol::parse_record(input);
  const Outcome outcome = judge_trial(evidence);
  require(outcome.state == TrialState::kOk || !outcome.reason.empty(), "a failure has a reason");
  (void)series_rows(evidence.record);
  (void)telemetry_rows(evidence.record, evidence.launch, {}, {}, 1);
}
