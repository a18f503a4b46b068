// What an attempt makes of exit codes, and of a disk that is full.
#include "harness/run/attempt/attempt.h"

#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "harness/run/outcome/outcome.h"
#include "harness/run/outcome/reextract.h"
#include "tests/run/study_room.h"

using namespace scalestudy;
using test::parse;
using test::Room;

namespace {

// One trial of a program that writes the protocol, or should.
const std::string kWrites = R"(version: 1
study: fake
workload: command
command: ["true", "{size}"]
axes: {size: [1]}
steps: {warmup: 0, measured: rest}
trials: {count: 1}
limits: {retries: 0}
)";

// One whose lines a rule reads.
const std::string kPrints =
    kWrites + "extract: [{metric: step_time_s, unit: s, regex: 't=(\\S+)'}]\n";

LaunchResult prints_and_exits(const LaunchRequest& request, int code) {
  std::ofstream(request.stdout_path) << "t=1\nt=2\n";
  std::ofstream(request.stderr_path) << "no such gene\n";
  LaunchResult result;
  result.ending = LaunchEnding::kExited;
  result.exit_code = code;
  result.wall_s = 4.0;
  return result;
}

// The only trial, in which each program ends with that exit code.
TrialRow ended(const std::string& study, int code) {
  Room room([=](const LaunchRequest& request) { return prints_and_exits(request, code); });
  room.run(parse(study));
  return room.trials().back();
}

}  // namespace

TEST_CASE("exit codes 77 and 79 of a program that writes no record are failures", "[run]") {
  for (const int code : {77, 79}) {
    const TrialRow trial = ended(kPrints, code);
    CHECK(trial.state == TrialState::kFailed);
    CHECK(trial.reason == "exit code " + std::to_string(code) + ": no such gene");
    CHECK(trial.exit_code == code);
  }
}

TEST_CASE("exit codes 77 and 79 have their meaning where the protocol is written, or has to be",
          "[run]") {
  CHECK(ended(kWrites, 77).state == TrialState::kUnsupported);
  CHECK(ended(kWrites, 77).reason == "the workload cannot run this here: no such gene");
  CHECK(ended(kWrites, 79).state == TrialState::kOom);

  Room room([](const LaunchRequest& request) {
    std::ofstream(request.output_path) << R"({"v":1,"event":"end","ok":false,"message":"no GPU"})"
                                       << "\n";
    return prints_and_exits(request, 77);
  });
  room.run(parse(kPrints));
  CHECK(room.trials().back().state == TrialState::kUnsupported);
  CHECK(room.trials().back().reason == "the workload cannot run this here: no GPU");
}

TEST_CASE("exit code 77 of setup is a failure", "[run]") {
  const TrialRow trial = ended(kWrites + "setup: [\"true\"]\n", 77);

  CHECK(trial.state == TrialState::kFailed);
  CHECK(trial.reason == "setup: exit code 77: no such gene");
}

TEST_CASE("a full disk is why a trial failed, whatever else is known of its end", "[run]") {
  TrialEvidence evidence;
  evidence.launch.is_disk_full = true;
  evidence.launch.exit_code = 3;
  evidence.results = "my results";
  for (const LaunchEnding ending : {LaunchEnding::kExited,
                                    LaunchEnding::kSignaled,
                                    LaunchEnding::kTimeout,
                                    LaunchEnding::kSilence}) {
    evidence.launch.ending = ending;
    const Outcome outcome = judge_trial(evidence);
    CHECK(outcome.state == TrialState::kFailed);
    CHECK(outcome.reason ==
          "the disk was full when it ended, so its output may be cut: free space in my results");
  }

  evidence.launch.ending = LaunchEnding::kNotStarted;
  evidence.launch.message = "cannot execute x: No such file or directory";
  CHECK(judge_trial(evidence).reason == "cannot execute x: No such file or directory");
}

TEST_CASE("a trial that ended on a full disk is failed, and its output is not read again",
          "[run]") {
  Room room([](const LaunchRequest& request) {
    LaunchResult result = prints_and_exits(request, 0);
    result.is_disk_full = true;
    return result;
  });
  room.run(parse(kPrints));

  const std::vector<Reread> readings =
      reread_logs(parse(kPrints, {"extract.0.unit=ms"}), room.store);

  CHECK(room.trials().back().state == TrialState::kFailed);
  CHECK(room.trials().back().reason ==
        "the disk was full when it ended, so its output may be cut: free space in " +
            room.folder.path().string());
  CHECK(room.store.query("SELECT text FROM log WHERE text LIKE 'output: may%'").rows ==
        std::vector<std::vector<Field>>{
            {"output: may be cut, because the disk was full when the trial ended"}});
  REQUIRE(readings.size() == 1);
  CHECK(readings[0].left_alone == "its log was not kept whole");
  CHECK_FALSE(readings[0].record.has_value());
}
