// Lines of output that report an error.
#include "harness/run/output/fail_lines.h"

#include <sstream>

#include "harness/run/outcome/reextract.h"
#include "tests/run/study_room.h"

using namespace scalestudy;

namespace {

FailLines find(const std::string& out,
               const std::string& err,
               const std::vector<std::string>& fail_if = {}) {
  std::istringstream out_text(out);
  std::istringstream err_text(err);
  return find_fail_lines(out_text, err_text, fail_if);
}

}  // namespace

TEST_CASE("the first line that matches a declared pattern is told, colours aside", "[run]") {
  const FailLines found = find(
      "step 1\n", "a\n\x1b[31mlost rank 3\x1b[0m\nlost rank 4\n", {"no such", "lost rank [0-9]+"});

  CHECK(found.declared == "stderr line 2 matches \"lost rank [0-9]+\": lost rank 3");
  CHECK(found.usual.empty());
  CHECK(find("step 1\n", "", {"lost", "("}).declared.empty());
}

TEST_CASE("what programs print when something went wrong is told apart from what they print anyway",
          "[run]") {
  for (const std::string line : {"Traceback (most recent call last):",
                                 "[rank0]: Traceback (most recent call last):",
                                 "(RayTrainWorker pid=12) Traceback (most recent call last):",
                                 "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried ...",
                                 R"({"cell": 3, "status": "ERROR"})",
                                 "sh: line 1: 12 Segmentation fault      ./a.out"}) {
    CAPTURE(line);
    CHECK(find("ok\n" + line + "\n", "").usual == "stdout line 2: " + line);
    CHECK(find("ok\n" + line + "\n", line + "\n").count == 2);
    CHECK(find("ok\n" + line + "\n", "").declared.empty());
  }
  for (const std::string line : {"0 errors",
                                 "error rate 0.2",
                                 "validation error: 0.31",
                                 R"({"status": "OK", "errors": []})",
                                 "memory 3 GiB",
                                 "see the Traceback (most recent call last) of yesterday"}) {
    CAPTURE(line);
    CHECK(find(line + "\n", "").count == 0);
  }
}

TEST_CASE("a log of both streams is searched once, and called a log", "[run]") {
  std::istringstream out("a\nTraceback (most recent call last):\n");
  std::istringstream err(out.str());

  const FailLines found = find_fail_lines(out, err, {"Trace"}, /*is_log=*/true);

  CHECK(found.count == 1);
  CHECK_THAT(found.declared, Catch::StartsWith("log line 2 matches \"Trace\""));
}

TEST_CASE("lines that no pattern can read are told, not passed over in silence", "[run]") {
  const std::string line = std::string((std::size_t{1} << 20U) + 1, 'x') + " Traceback\n";

  CHECK(find("a\n", "b\n" + line + line, {"Traceback"}).unread ==
        "stderr has lines of more than 1 MiB: 2 from line 2 on");
  CHECK(find(std::string("\xff\xfeT\0", 4), "", {"T"}).unread == "stdout is UTF-16");
  CHECK(find("a\n", "b\n", {"Traceback"}).unread.empty());

  test::Room room([&](const LaunchRequest& request) {
    std::ofstream(request.stdout_path) << "t=1\nt=2\n";
    std::ofstream(request.stderr_path) << line;
    LaunchResult result;
    result.ending = LaunchEnding::kExited;
    result.exit_code = 0;
    return result;
  });
  const std::string text = R"(version: 1
study: fake
workload: command
command: ["true"]
extract: [{metric: step_time_s, unit: s, regex: 't=(\S+)'}]
fail_if: [Traceback]
steps: {warmup: 0, measured: rest}
trials: {count: 1}
)";
  room.run(test::parse(text));
  const Study shorter = test::parse(text, {"steps.warmup=1"});
  accept_readings(shorter, reread_logs(shorter, room.store), room.store);
  CHECK(room.store
            .query("SELECT attempt, state, value FROM telemetry JOIN trial ON trial.id = "
                   "trial_id WHERE name = 'unread_output' ORDER BY attempt")
            .rows == std::vector<std::vector<Field>>{{std::int64_t{1}, "ok", 1.0},
                                                     {std::int64_t{2}, "ok", 1.0}});
}

TEST_CASE("fail_if fails a trial that ended with exit code 0, also when its logs are read again",
          "[run]") {
  const std::string text = R"(version: 1
study: fake
workload: command
command: ["true", "{size}"]
extract: [{metric: step_time_s, unit: s, regex: 't=(\S+)'}]
fail_if: ['lost rank']
axes: {size: [1, 2]}
steps: {warmup: 1, measured: 2}
trials: {count: 1}
limits: {retries: 0}
)";
  test::Room room([](const LaunchRequest& request) {
    std::ofstream(request.stdout_path) << "t=9\nt=1\nt=3\n";
    std::ofstream(request.stderr_path)
        << (request.argv.at(1) == "1" ? "lost rank 3\n" : "Traceback (most recent call last):\n");
    LaunchResult result;
    result.ending = LaunchEnding::kExited;
    result.exit_code = 0;
    return result;
  });

  room.run(test::parse(text));

  for (const TrialRow& trial : room.trials()) {
    const bool is_lost = trial.state == TrialState::kFailed;
    CHECK(trial.reason ==
          (is_lost ? "fail_if: stderr line 1 matches \"lost rank\": lost rank 3" : ""));
  }
  CHECK(room.store.query("SELECT sum(state = 'failed'), sum(state = 'ok') FROM trial").rows.at(0) ==
        std::vector<Field>{std::int64_t{1}, std::int64_t{1}});
  CHECK(room.store.query("SELECT value FROM telemetry WHERE name = 'error_lines'").rows ==
        std::vector<std::vector<Field>>{{1.0}});
  const auto told = reread_logs(test::parse(text, {"fail_if=[Traceback]"}), room.store);
  REQUIRE(told.size() == 2);
  CHECK(std::ranges::count_if(told, [](const Reread& trial) {
          return trial.after.state == TrialState::kFailed && trial.before.state == TrialState::kOk;
        }) == 1);
  CHECK(std::ranges::count_if(told, [](const Reread& trial) {
          return trial.after.state == TrialState::kOk && trial.before.state == TrialState::kFailed;
        }) == 1);
}
