#include "harness/run/outcome/outcome.h"

#include <cmath>
#include <csignal>
#include <utility>

#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::EndsWith;

namespace {

protocol::Samples step_times(int warmup, std::vector<double> values) {
  return {.metric = "step_time_s",
          .unit = "s",
          .rank = std::nullopt,
          .warmup = warmup,
          .values = std::move(values)};
}

protocol::Start start_of(int ranks) {
  protocol::Start start;
  start.workload = "train";
  start.ranks = ranks;
  return start;
}

// A trial of 1 + 2 steps on two ranks that went well.
TrialEvidence good_trial() {
  TrialEvidence evidence;
  evidence.launch.ending = LaunchEnding::kExited;
  evidence.launch.exit_code = 0;
  evidence.steps = {.warmup = 1, .measured = 2};
  evidence.ranks = 2;
  evidence.timeout_s = 600.0;
  evidence.silence_s = 120.0;
  evidence.record.events = {start_of(2),
                            step_times(1, {0.2, 0.1, 0.1}),
                            protocol::Check{.name = "replicas_equal", .passed = true, .detail = ""},
                            protocol::End{.ok = true, .message = ""}};
  return evidence;
}

TrialEvidence exited(int code) {
  TrialEvidence evidence = good_trial();
  evidence.launch.exit_code = code;
  evidence.has_protocol_codes = true;
  evidence.record = {};
  return evidence;
}

}  // namespace

TEST_CASE("a trial with exit code 0, all steps, passed checks and an end is ok", "[run]") {
  const Outcome outcome = judge_trial(good_trial());

  CHECK(outcome.state == TrialState::kOk);
  CHECK(outcome.reason.empty());
}

TEST_CASE("with floors in time there may be more steps than declared, and not fewer", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.steps.measured_time_s = 0.1;
  CHECK(judge_trial(evidence).state == TrialState::kOk);
  evidence.record.events[1] = step_times(4, {0.2, 0.2, 0.2, 0.2, 0.1, 0.1, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kOk);
  evidence.record.events[1] = step_times(4, {0.2, 0.2, 0.2, 0.2, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  evidence.record.events[1] = step_times(0, {0.1, 0.1, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kFailed);

  evidence = good_trial();
  evidence.record.events[1] = step_times(1, {0.2, 0.1, 0.1, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
}

// Lines that are of several steps each: two values over 3 steps.
TEST_CASE("steps that lines cover are as many as declared, the warm-up among them", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.events[1] = step_times(1, {0.2, 0.1});
  evidence.record.covered = protocol::CoveredSteps{.steps = 3, .warmup = 1};
  CHECK(judge_trial(evidence).state == TrialState::kOk);
  for (const auto& [steps, warmup] : {std::pair(4, 1), {2, 1}, {3, 0}, {3, 3}}) {
    CAPTURE(steps, warmup);
    evidence.record.covered = protocol::CoveredSteps{.steps = steps, .warmup = warmup};
    CHECK(judge_trial(evidence).state == TrialState::kFailed);
  }
}

TEST_CASE("a program that could not be started is failed with the launcher's message", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.launch.ending = LaunchEnding::kNotStarted;
  evidence.launch.message = "cannot execute x: No such file or directory";

  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "cannot execute x: No such file or directory");
}

TEST_CASE("a program that wrote without end is failed, whatever the record holds", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.launch.ending = LaunchEnding::kTooLong;
  evidence.launch.message = "stdout was ended";

  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "stdout was ended");
}

TEST_CASE("deadlines are timeouts that say which, whatever the record holds", "[run]") {
  TrialEvidence evidence = good_trial();

  evidence.launch.ending = LaunchEnding::kTimeout;
  CHECK(judge_trial(evidence).state == TrialState::kTimeout);
  CHECK(judge_trial(evidence).reason == "still running after 10 min 00 s (limits.timeout)");

  evidence.launch.ending = LaunchEnding::kSilence;
  CHECK(judge_trial(evidence).state == TrialState::kTimeout);
  CHECK(judge_trial(evidence).reason == "no output for 2 min 00 s (limits.silence)");

  evidence.record.events = {start_of(2), protocol::Phase{"warmup"}, protocol::Phase{"measure"}};
  CHECK(judge_trial(evidence).reason ==
        "no output for 2 min 00 s (limits.silence), in phase measure");
}

TEST_CASE("a reason is one printable line, whatever the trial wrote", "[run]") {
  TrialEvidence evidence = exited(4);
  evidence.record.events = {protocol::End{.ok = false, .message = "\x1b[2Jfirst\nsecond \xff"}};

  CHECK(judge_trial(evidence).reason == "exit code 4: ?[2Jfirst second ?");
  // NOLINTNEXTLINE(bugprone-string-constructor): so long a message is the point
  evidence.record.events = {protocol::End{.ok = false, .message = std::string(20'000'000, 'x')}};
  CHECK(judge_trial(evidence).reason.size() < 1100);
}

TEST_CASE("exit code 77 is unsupported and 79 is oom, in the workload's own words", "[run]") {
  TrialEvidence evidence = exited(77);
  evidence.record.events = {protocol::End{.ok = false, .message = "no CUDA device"}};
  CHECK(judge_trial(evidence).state == TrialState::kUnsupported);
  CHECK(judge_trial(evidence).reason == "the workload cannot run this here: no CUDA device");

  evidence = exited(79);
  evidence.stderr_tail = "first\nstd::bad_alloc\n";
  CHECK(judge_trial(evidence).state == TrialState::kOom);
  CHECK(judge_trial(evidence).reason == "out of memory: std::bad_alloc");
  evidence.record.events = {
      protocol::End{.ok = false, .message = "out of memory: gpt-tiny needs 20.0 MiB a rank"}};
  CHECK(judge_trial(evidence).reason == "out of memory: gpt-tiny needs 20.0 MiB a rank");
}

TEST_CASE("a program's last line about memory tells that it ran out of it", "[run]") {
  TrialEvidence evidence = exited(1);
  evidence.stderr_tail =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\nagain\n"
      "terminate: std::bad_alloc\nended\n";
  CHECK(judge_trial(evidence).state == TrialState::kOom);
  CHECK(judge_trial(evidence).reason == "out of memory: terminate: std::bad_alloc");
  evidence.stderr_tail = "std::bad_alloc\nagain\ntorch.OutOfMemoryError: no\n";
  CHECK(judge_trial(evidence).reason == "out of memory: torch.OutOfMemoryError: no");
  evidence.stderr_tail = "nothing of memory\n";
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
}

TEST_CASE("SIGKILL is oom only with the kernel's evidence", "[run]") {
  TrialEvidence evidence = exited(128 + SIGKILL);  // as mpirun reports a killed rank
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "ended by SIGKILL");

  evidence.oom_killed = true;
  CHECK(judge_trial(evidence).state == TrialState::kOom);
  CHECK(judge_trial(evidence).reason == "killed by the kernel, which was out of memory");

  evidence = exited(128 + SIGSEGV);
  evidence.oom_killed = true;
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
}

TEST_CASE("a crash is failed with the signal and the last line of stderr", "[run]") {
  TrialEvidence evidence = exited(0);
  evidence.launch.ending = LaunchEnding::kSignaled;
  evidence.launch.exit_code = std::nullopt;
  evidence.launch.signal = SIGABRT;
  evidence.stderr_tail = "loading\nterminate called\n\n";

  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "ended by SIGABRT: terminate called");

  const std::string preamble =
      "W1129 16:40:55.000 7 torch/distributed/run.py:793] \n"
      "W1129 16:40:55.000 7 torch/distributed/run.py:793] ****\n"
      "W1129 16:40:55.000 7 torch/distributed/run.py:793] Setting OMP_NUM_THREADS to 1\n"
      "W1129 16:40:55.000 7 torch/distributed/run.py:793] ****\n";
  evidence.stderr_tail = preamble;  // torchrun says so of each start
  CHECK(judge_trial(evidence).reason == "ended by SIGABRT");
  evidence.stderr_tail = "terminate called\n" + preamble;
  CHECK(judge_trial(evidence).reason == "ended by SIGABRT: terminate called");
}

TEST_CASE("another exit code is failed with the code", "[run]") {
  TrialEvidence evidence = exited(3);
  CHECK(judge_trial(evidence).reason == "exit code 3");
  CHECK(judge_trial(exited(128)).reason == "exit code 128");  // of no signal, as is that behind 64
  CHECK(judge_trial(exited(128 + 65)).reason == "exit code 193");

  evidence.stderr_tail = "bad flag";
  CHECK(judge_trial(evidence).reason == "exit code 3: bad flag");
  evidence.stderr_tail =
      "loading\nbad flag\n-----\n-----\nPrimary job  terminated normally, but 1 process returned\n"
      "a non-zero exit code.\n-----\n  Process name: [[29299,1],0]\n  Exit code:    1\n-----\n";
  CHECK(judge_trial(evidence).reason == "exit code 3: bad flag");
  evidence.stderr_tail +=
      "worse\n-----\nPrimary job  terminated normally, but 1 process returned\n";
  CHECK(judge_trial(evidence).reason == "exit code 3: worse");
  const std::string improper =
      "-----\nmpirun has exited due to process rank 1 with PID 0 on\nnode vm exiting "
      "improperly.\n\n"
      "You can avoid this message by specifying -quiet on the mpirun command line.\n-----\n";
  evidence.stderr_tail = "bad size\n" + improper;
  CHECK(judge_trial(evidence).reason == "exit code 3: bad size");
  evidence.stderr_tail = improper;
  CHECK(judge_trial(evidence).reason ==
        "exit code 3: rank 1 ended without MPI_Finalize or was aborted, and printed no reason");
  evidence.stderr_tail += improper;  // launched again: mpirun's advice is no reason either
  CHECK(judge_trial(evidence).reason ==
        "exit code 3: rank 1 ended without MPI_Finalize or was aborted, and printed no reason");
  evidence.stderr_tail = "-----\n";
  CHECK(judge_trial(evidence).reason == "exit code 3");
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
}

TEST_CASE("any problem in the record is failed with the first one", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.problems = {"line 4: values[17] is null", "line 9: x"};

  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "unusable output: line 4: values[17] is null");
}

TEST_CASE("a time that is none makes the trial invalid, and says which step", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.events[1] = step_times(1, {0.2, 0.1, 0.0});
  CHECK(judge_trial(evidence).state == TrialState::kInvalid);
  CHECK(judge_trial(evidence).reason ==
        "step_time_s of step 2 is 0: a time must be above 0 and finite");

  evidence.record.events[1] = step_times(1, {-0.2, 0.1, 0.1});
  CHECK(judge_trial(evidence).reason ==
        "step_time_s of step 0 is -0.2: a time must be above 0 and finite");

  evidence.record.events[1] = step_times(1, {0.2, 1e-300, 0.1});
  CHECK(judge_trial(evidence).reason ==
        "step_time_s of step 1 is 1e-300: a time must be within 1e-12 s and 1e12 s");

  evidence.record.events[1] = step_times(1, {0.2, HUGE_VAL, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kInvalid);
}

TEST_CASE("a step time of the warm-up may be missing, others may not", "[run]") {
  const double missing = std::nan("");
  TrialEvidence evidence = good_trial();
  evidence.record.events[1] = step_times(1, {missing, 0.1, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kOk);

  evidence.record.events[1] = step_times(1, {0.1, missing, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kInvalid);
}

TEST_CASE("a line that fails the trial is the reason, whatever was measured", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.fail_line = "stderr line 3 matches \"Traceback\": Traceback (most recent call last):";
  evidence.record.problems = {"extract: the rule for step_time_s found nothing in stdout"};

  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "fail_if: " + evidence.fail_line);
  evidence.launch.exit_code = 3;
  CHECK_THAT(judge_trial(evidence).reason, Catch::StartsWith("exit code 3"));
}

TEST_CASE("a number that is none is invalid, since another attempt would end alike", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record = protocol::parse_record(
      R"({"v":1,"event":"start","workload":"train","ranks":2}
{"v":1,"event":"samples","metric":"step_time_s","unit":"s","warmup":1,"values":[0.2,1e999,0.1]}
{"v":1,"event":"end","ok":true}
)");

  CHECK(judge_trial(evidence).state == TrialState::kInvalid);
  CHECK(judge_trial(evidence).reason ==
        "unusable output: line 2: the number 1e999 is out of range");
}

TEST_CASE("a record without an end is failed, cut off or not", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.events.pop_back();
  CHECK(judge_trial(evidence).reason == "the output file has no end event");

  evidence.record.truncated = true;
  CHECK(judge_trial(evidence).reason == "the output file breaks off in the middle of a line");
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
}

TEST_CASE("an end that is not ok is failed even with exit code 0", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.events.back() = protocol::End{.ok = false, .message = "loss is NaN"};

  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "the workload reported a failed end: loss is NaN");
}

TEST_CASE("a failed check is invalid with its name", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.events[2] =
      protocol::Check{.name = "replicas_equal", .passed = false, .detail = "rank 1 differs"};

  CHECK(judge_trial(evidence).state == TrialState::kInvalid);
  CHECK(judge_trial(evidence).reason == "check replicas_equal failed: rank 1 differs");
}

TEST_CASE("singletons instead of one job of several ranks are failed", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.events[0] = start_of(1);

  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason ==
        "the workload counted 1 rank(s), but 2 were launched: each ran alone, as its launcher and "
        "its MPI library do not know each other (see docs/how-to/clusters.md)");
}

TEST_CASE("ranks on another number of nodes than the cell's are failed", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.nodes = 2;
  CHECK(judge_trial(evidence).state == TrialState::kOk);  // a program that does not count them

  protocol::Start start = start_of(2);
  start.facts["node_count"] = 2;
  evidence.record.events[0] = start;
  CHECK(judge_trial(evidence).state == TrialState::kOk);

  start.facts["node_count"] = 1;
  evidence.record.events[0] = start;
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason == "the ranks ran on 1 node(s), and the cell asks for 2");
}

TEST_CASE("missing steps, or other warm-up steps than declared, are failed", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.record.events[1] = step_times(1, {0.2, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kFailed);
  CHECK(judge_trial(evidence).reason ==
        "2 step times, 1 of them warm-up; the study declares 3, 1 of them warm-up");

  evidence.record.events[1] = step_times(0, {0.2, 0.1, 0.1});
  CHECK(judge_trial(evidence).state == TrialState::kFailed);

  protocol::Samples of_one_rank = step_times(1, {0.2, 0.1, 0.1});
  of_one_rank.rank = 0;
  evidence.record.events[1] = of_one_rank;
  CHECK(judge_trial(evidence).reason == "no step_time_s over all ranks in the output");
}

TEST_CASE("a command that prints one value a run is told how to measure it", "[run]") {
  TrialEvidence evidence = good_trial();
  evidence.ranks.reset();
  evidence.steps = {.warmup = 10, .measured = 100};
  const auto reason_of = [&](int warmup, std::vector<double> times) {
    evidence.record.events[1] = step_times(warmup, std::move(times));
    return judge_trial(evidence).reason;
  };

  CHECK_THAT(reason_of(0, {0.1}), EndsWith("declare steps: {warmup: 0, measured: 1}"));
  CHECK_THAT(reason_of(10, std::vector<double>(11, 0.1)),
             EndsWith("with steps: {measured: rest} whatever follows the warm-up is measured"));
}

TEST_CASE("the last lines of a text leave blanks at its end out", "[run]") {
  CHECK(last_lines("a\nb\nc\n\n", 2) == "b\nc");
  CHECK(last_lines("a\nb", 5) == "a\nb");
  CHECK(last_lines("\n \n", 3).empty());
  CHECK(last_lines("", 1).empty());
}
