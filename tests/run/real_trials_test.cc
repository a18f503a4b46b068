// Trials that go wrong in every way, as real processes: each has a clear outcome and leaves
// nothing.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/run/real_world.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

using test::processes_with;
using test::TrialFolder;

const std::string kStart =
    R"(echo '{"v":1,"event":"start","workload":"fake","ranks":1}' >> "$SCALESTUDY_OUTPUT"
)";
const std::string kSamples =
    R"(echo '{"v":1,"event":"samples","metric":"step_time_s","unit":"s","warmup":1,"values":[3,1,2]}' >> "$SCALESTUDY_OUTPUT"
)";
const std::string kEnd = R"(echo '{"v":1,"event":"end","ok":true}' >> "$SCALESTUDY_OUTPUT"
)";

struct Ran {
  TrialRow trial;
  std::vector<SeriesRow> series;
  std::string log;  // all texts of the log rows
  std::vector<int> left;
};

// One trial of a study whose command is this script; further lines of YAML may be given.
struct RealStudy {
  explicit RealStudy(const std::string& body, const std::string& yaml = "")
      : text("version: 1\nstudy: real\ntitle: Real\nworkload: command\ncommand: [\"" +
             folder.script("trial", body) + "\", \"{size}\"]\nparameters: {env.TRIAL_MARK: \"" +
             mark() + "\"}\naxes: {size: [1]}\nsteps: {warmup: 1, measured: 2}\n" + yaml) {
    if (yaml.find("limits:") == std::string::npos) {
      text += "limits: {retries: 0, timeout: 20s, silence: 20s}\n";
    }
    if (yaml.find("validity:") == std::string::npos) {
      text += "validity: {calibration: none}\n";
    }
    text += "trials: {count: 1}\n";
  }

  std::string mark() const { return folder.path().filename().string(); }

  Ran run(SystemMachine machine = SystemMachine()) const {
    Store store = Store::open(folder.path() / "results");
    test::run_for_real(text, store, 0.3, std::move(machine));
    Ran ran;
    ran.trial = store.trials(store.find_study("real")->id).back();
    ran.series = store.series(ran.trial.id);
    for (const auto& row : store.query("SELECT text FROM log ORDER BY id").rows) {
      ran.log += std::get<std::string>(row.at(0)) + "\n";
    }
    ran.left = processes_with("TRIAL_MARK=" + mark());
    return ran;
  }

  TrialFolder folder;
  std::string text;
};

}  // namespace

TEST_CASE("a good trial of a real process is ok and its samples are stored", "[run]") {
  const Ran ran = RealStudy(kStart + kSamples + kEnd).run();

  CHECK(ran.trial.state == TrialState::kOk);
  CHECK(ran.trial.reason.empty());
  CHECK(ran.trial.exit_code == 0);
  REQUIRE(ran.series.size() == 1);
  CHECK(ran.series[0].values == std::vector<double>{3.0, 1.0, 2.0});
}

TEST_CASE("a trial that crashes is failed, with its signal and its last words", "[run]") {
  const Ran ran = RealStudy(kStart + "echo 'assertion x > 0' >&2\nkill -ABRT $$\n").run();

  CHECK(ran.trial.state == TrialState::kFailed);
  CHECK(ran.trial.reason == "ended by SIGABRT: assertion x > 0");
  CHECK(ran.trial.signal == 6);
  CHECK(ran.log.find("assertion x > 0") != std::string::npos);
}

TEST_CASE("a trial that hangs in silence is a timeout", "[run]") {
  const Ran ran =
      RealStudy(kStart + "sleep 60\n", "limits: {retries: 0, timeout: 20s, silence: 300ms}\n")
          .run();

  CHECK(ran.trial.state == TrialState::kTimeout);
  CHECK(ran.trial.reason == "no output for 300 ms (limits.silence)");
  CHECK(ran.left.empty());
}

TEST_CASE("a trial that talks past the deadline is a timeout and keeps its samples", "[run]") {
  const Ran ran = RealStudy(kStart + kSamples + "while :; do echo x; sleep 0.02; done\n",
                            "limits: {retries: 0, timeout: 1500ms, silence: 20s}\n")
                      .run();

  CHECK(ran.trial.state == TrialState::kTimeout);
  CHECK(ran.trial.reason == "still running after 1.5 s (limits.timeout)");
  CHECK(ran.series.size() == 1);
  CHECK(ran.left.empty());
}

TEST_CASE("a trial that ignores TERM is killed and is a timeout", "[run]") {
  const Ran ran = RealStudy("trap '' TERM\n" + kStart + "while :; do sleep 0.05; done\n",
                            "limits: {retries: 0, timeout: 1s, silence: 20s}\n")
                      .run();

  CHECK(ran.trial.state == TrialState::kTimeout);
  CHECK(ran.trial.signal == 9);
  CHECK(ran.left.empty());
}

TEST_CASE("a trial that prints garbage is failed with the first thing not understood", "[run]") {
  const Ran ran =
      RealStudy(kStart + "printf 'step 1 took \\377 long\\n' >> \"$SCALESTUDY_OUTPUT\"\n" +
                kSamples + kEnd)
          .run();

  CHECK(ran.trial.state == TrialState::kFailed);
  CHECK(ran.trial.reason.find("unusable output: line 2: ") == 0);
  CHECK(ran.series.size() == 1);
}

TEST_CASE("a trial that reports NaN is failed and names the line", "[run]") {
  const Ran ran =
      RealStudy(
          kStart +
          R"(echo '{"v":1,"event":"samples","metric":"step_time_s","unit":"s","warmup":1,"values":[3,NaN,2]}' >> "$SCALESTUDY_OUTPUT"
)" + kEnd)
          .run();

  CHECK(ran.trial.state == TrialState::kFailed);
  CHECK(ran.trial.reason.find("unusable output: line 2: ") == 0);
  CHECK(ran.series.empty());
}

TEST_CASE("a file that breaks off is failed and says so", "[run]") {
  const Ran ran =
      RealStudy(kStart + kSamples + "printf '{\"v\":1,\"eve' >> \"$SCALESTUDY_OUTPUT\"\n").run();

  CHECK(ran.trial.state == TrialState::kFailed);
  CHECK(ran.trial.reason == "the output file breaks off in the middle of a line");
}

TEST_CASE("a trial that writes nothing at all is failed", "[run]") {
  const Ran ran = RealStudy("true\n").run();

  CHECK(ran.trial.state == TrialState::kFailed);
  CHECK(ran.trial.reason.find("wrote no file to $SCALESTUDY_OUTPUT") != std::string::npos);
}

TEST_CASE("a daemon a trial leaves is ended before the next trial, and told of", "[run]") {
  const Ran ran = RealStudy(kStart + kSamples + kEnd +
                            "(setsid sh -c 'sleep 60 & sleep 60' >/dev/null 2>&1 &)\n")
                      .run();

  CHECK(ran.trial.state == TrialState::kOk);
  CHECK(ran.log.find("3 process(es) were still running after the trial had ended") !=
        std::string::npos);
  CHECK(ran.left.empty());
}

TEST_CASE("exit code 77 of a command is unsupported and is not tried again", "[run]") {
  const Ran ran = RealStudy("echo no GPU here >&2\nexit 77\n", "limits: {retries: 3}\n").run();

  CHECK(ran.trial.state == TrialState::kUnsupported);
  CHECK(ran.trial.attempt == 1);
  CHECK(ran.trial.reason == "the workload cannot run this here: no GPU here");
}

TEST_CASE("a command without the protocol is read by its extract rules", "[run]") {
  const Ran ran = RealStudy("for t in 30 10 20; do echo \"step took $t s\"; done\n",
                            "extract: [{metric: step_time_s, unit: s, regex: 'took ([0-9]+) s'}]\n")
                      .run();

  CHECK(ran.trial.state == TrialState::kOk);
  REQUIRE(ran.series.size() == 1);
  CHECK(ran.series[0].values == std::vector<double>{30.0, 10.0, 20.0});
  CHECK(ran.series[0].warmup_n == 1);
}

TEST_CASE("a command's lines are held against the clock as they come", "[run]") {
  // 40 steps at least 50 ms apart say 0.05 ms each.
  const std::string body = "for i in $(seq 40); do sleep 0.05; echo took 0.05; done";
  const std::string yaml = "extract: [{metric: step_time_s, unit: ms, regex: 'took (.*)'}]\n";
  const std::string steps = "measured: 2";
  const auto run = [&](const std::string& script) {
    RealStudy study(script, yaml);
    study.text.replace(study.text.find(steps), steps.size(), "measured: 39");
    return study.run().trial;
  };
  TrialRow one_by_one = run(body + "\n");
  for (int again = 0; again < 4 && !one_by_one.arrival_step_s; ++again) {
    one_by_one = run(body + "\n");  // a loaded machine looked at the output too rarely
  }
  const TrialRow at_once = run(body + " | cat >\"$0.all\"\ncat \"$0.all\"\n");

  REQUIRE(one_by_one.state == TrialState::kOk);
  CHECK(*one_by_one.steps_share == Approx(40 * 0.00005 / *one_by_one.wall_s));
  REQUIRE(one_by_one.arrival_step_s);
  CHECK(*one_by_one.arrival_step_s > 0.04);
  CHECK(at_once.steps_share);
  CHECK_FALSE(at_once.arrival_step_s);
}

// A process that keeps a core busy for as long as it lives.
class BusyProcess {
 public:
  BusyProcess() {
    const std::string busy = folder_.script("busy", "while :; do :; done\n");
    id_ = fork();  // NOLINT(cppcoreguidelines-prefer-member-initializer): its script comes first
    if (id_ == 0) {
      execl(busy.c_str(), busy.c_str(), nullptr);
      _exit(127);
    }
  }
  ~BusyProcess() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  TrialFolder folder_;
  pid_t id_ = -1;
};

const std::string kSlowTrial = kStart + kSamples + "sleep 0.5\n" + kEnd;

TEST_CASE("a process that keeps cores busy beside a trial is seen as foreign load", "[run]") {
  const BusyProcess busy;

  const Ran ran = RealStudy(kSlowTrial).run();

  CHECK(ran.trial.foreign_load.value_or(0.0) > 0.2);  // the scheduler may give it less than a core
  CHECK(ran.trial.state == TrialState::kOk);
  CHECK(ran.trial.disturbance == Disturbance::kForeignLoad);  // more than 3 % of the cores
}

TEST_CASE("a trial beside a busy process is kept apart where the study asks for it", "[run]") {
  const BusyProcess busy;
  const std::string limit = std::to_string(10.0 / static_cast<double>(SystemMachine().cores()));

  const Ran apart = RealStudy(kSlowTrial,
                              "validity: {policy: requeue, requeues: 1, idle_wait: 1ms, "
                              "foreign_load: " +
                                  limit + "%}\n")
                        .run();
  CHECK(apart.trial.state == TrialState::kInvalid);
  CHECK(apart.trial.disturbance == Disturbance::kForeignLoad);
  CHECK(apart.trial.attempt == 2);
  CHECK(apart.trial.reason.starts_with("foreign_load: other processes took "));
  CHECK(apart.series.size() == 1);

  const Ran allowed =
      RealStudy(kSlowTrial, "validity: {policy: requeue, idle_wait: 1ms, foreign_load: 100%}\n")
          .run();
  CHECK(allowed.trial.state == TrialState::kOk);
}

// The stub's GPU 0 is hot every second time it is looked at.
TEST_CASE("a trial on a GPU that heat slows is marked, or kept apart", "[run][slow]") {
  const std::string others = "foreign_load: 100%, gpu_memory: 100%";
  const Ran marked = RealStudy(kSlowTrial, "validity: {" + others + "}\n")
                         .run(SystemMachine("/", SCALESTUDY_FAKE_NVML));
  CHECK(marked.trial.state == TrialState::kOk);
  CHECK(marked.trial.disturbance == Disturbance::kThrottled);

  // The gate's looks are those at which it is cool.
  const Ran apart =
      RealStudy(kSlowTrial,
                "validity: {policy: requeue, requeues: 1, idle_wait: 10s, " + others + "}\n")
          .run(SystemMachine("/", SCALESTUDY_FAKE_NVML));
  CHECK(apart.trial.state == TrialState::kInvalid);
  CHECK(apart.trial.disturbance == Disturbance::kThrottled);
  CHECK(apart.trial.attempt == 2);
  // For all of it, unless the machine is so busy that there was a second look.
  CHECK(apart.trial.reason.starts_with("throttled: heat or the power supply slowed gpu0 for "));
  CHECK(apart.trial.reason.ends_with(" % of the time (validity.throttled: 0 %)"));
  CHECK(apart.series.size() == 1);

  const Ran cool = RealStudy(kSlowTrial, "validity: {throttled: 100%, " + others + "}\n")
                       .run(SystemMachine("/", SCALESTUDY_FAKE_NVML));
  CHECK(cool.trial.disturbance == Disturbance::kNone);
}

TEST_CASE("a trial whose results are away when it ends is no failed one", "[run]") {
  const RealStudy study("mv \"${SCALESTUDY_STORE%#*}\" \"${SCALESTUDY_STORE%#*}.away\"\n");
  const std::filesystem::path results = study.folder.path() / "results";

  CHECK_THROWS_WITH(study.run(), Contains("was removed or moved"));

  std::error_code ignored;
  std::filesystem::remove_all(results, ignored);
  std::filesystem::rename(results.string() + ".away", results);
  const Store store = Store::open_read_only(results);
  const TrialRow trial = store.trials(store.find_study("real")->id).back();
  CHECK(trial.state == TrialState::kPlanned);  // to be run again
  CHECK(trial.attempt == 1);
}

// The stub's GPUs take 500 J from one time that any is asked to the next, and are asked in turns.
TEST_CASE("energy of a step follows from counters while the trial measured", "[run]") {
  const std::string told = R"("facts":{"measured_from_s":1,"measured_until_s":1e12}})";
  std::string end = kEnd;
  end.replace(end.find("true}") + 4, 1, "," + told);
  const RealStudy study("sleep 2.6\n" + kStart + kSamples + end,
                        "validity: {foreign_load: 100%, throttled: 100%}\n");

  CHECK(study.run(SystemMachine("/", SCALESTUDY_FAKE_NVML)).trial.state == TrialState::kOk);

  const Store store = Store::open_read_only(study.folder.path() / "results");
  const auto rows = store
                        .query(
                            "SELECT power_w, energy_per_step_j, memory_share, value AS seconds "
                            "FROM usage JOIN readings USING (trial) WHERE name = 'measured_s'")
                        .rows;
  REQUIRE(rows.size() == 1);
  const auto number = [&](std::size_t column) { return std::get<double>(rows[0].at(column)); };
  CHECK(number(1) == Approx(1.5 * number(0)));  // steps of 1 s and 2 s
  CHECK(number(2) == 0.75);
  // Each was asked twice a look, of which there were two or three.
  const double joules = number(0) * number(3);
  CHECK(std::remainder(joules, 2000.0) == Approx(0.0).margin(1e-6));
  CHECK(joules > 0.0);
}

TEST_CASE("setup, command and cleanup run in the study's folder with its variables", "[run]") {
  const TrialFolder folder;
  const std::string note = "echo \"$0 $PWD $LEVEL\" >> " + (folder.path() / "seen").string() + "\n";
  folder.script("before", note);
  folder.script("after", note);
  std::filesystem::create_directory(folder.path() / "work");

  const Ran ran =
      RealStudy(note + "echo t=0.5 >&2; echo t=0.25 >&2; echo t=0.125 >&2\n",
                "cwd: " + (folder.path() / "work").string() +
                    "\nenv: {LEVEL: \"{size}\"}\nsetup: [../before]\ncleanup: [../after]\n"
                    "extract: [{metric: step_time_s, unit: s, regex: 't=(.*)'}]\n")
          .run();

  CHECK(ran.trial.reason.empty());
  CHECK(ran.trial.state == TrialState::kOk);
  REQUIRE(ran.series.size() == 1);
  CHECK(ran.series[0].values == std::vector<double>{0.5, 0.25, 0.125});
  const std::string seen = test::read_file(folder.path() / "seen");
  const std::string here = (folder.path() / "work").string() + " 1\n";
  CHECK(seen.starts_with("../before " + here));
  CHECK(seen.ends_with("../after " + here));
  CHECK(seen.find("/trial " + here) != std::string::npos);
}

TEST_CASE("a folder that is not there fails the trial with its name", "[run]") {
  const Ran ran = RealStudy(kStart, "cwd: /nowhere/at/all\n").run();

  CHECK(ran.trial.state == TrialState::kFailed);
  CHECK_THAT(ran.trial.reason, Catch::Contains("in /nowhere/at/all: No such file"));
}

TEST_CASE("a variable at its default is unset for setup, trial and run.sh, whatever sets it",
          "[run]") {
  const TrialFolder folder;
  REQUIRE(setenv("INHERITED", "20", 1) == 0);
  const std::string told = "echo \"step ${INHERITED:-1}${GIVEN:-2} ms\"";
  const std::string text =
      "version: 1\nstudy: real\nworkload: command\ncommand: [sh, -c, '" + told +
      "']\nsetup: [sh, -c, '" + told +
      "']\nenv: {GIVEN: \"33\"}\ninclude:\n  - {env.INHERITED: default, env.GIVEN: default}\n"
      "  - {env.INHERITED: \"4\"}\nextract: [{metric: step_time_s, unit: ms, regex: 'step (\\S+) "
      "ms'}]\nsteps: {warmup: 0, measured: 1}\nvalidity: {calibration: none}\n"
      "trials: {count: 1}\n";
  Store store = Store::open(folder.path() / "results");

  test::run_for_real(text, store, 0.3);

  std::string all;  // what setup, trial and run.sh told
  for (const CellRow& cell : store.cells(store.find_study("real")->id)) {
    const auto logs = folder.path() / "results" / "logs" / "real" / (cell.hash + "-b0-a1");
    all += cell.label + "\n" + test::read_file(logs / "setup.stdout") +
           test::read_file(logs / "stdout") +
           test::run_program({"sh", (logs / "run.sh").string()}).out;
  }
  unsetenv("INHERITED");
  CHECK(all ==
        "env.GIVEN=default env.INHERITED=default\nstep 12 ms\nstep 12 ms\nstep 12 ms\n"
        "env.GIVEN=default env.INHERITED=4\nstep 42 ms\nstep 42 ms\nstep 42 ms\n");
}
