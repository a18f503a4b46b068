// Studies whose jobs are preempted, killed, told to end, cut off from their results and gathered
// by two at once, held to the same studies left alone. SCALESTUDY_TORTURE (`./dev torture N`) is
// how many disturbances at random there are, SCALESTUDY_TORTURE_SEED which.
#include <csignal>
#include <map>
#include <random>
#include <set>

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "tests/submit/submitted_study.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

constexpr const char* kTrain = R"(version: 1
study: two-nodes
workload: train
parameters: {model: mlp-258k, batch_global: 8}
zip: [{nodes: 1, devices: 1}, {nodes: 2, devices: 2}]
steps: {warmup: 1, measured: 3, measured_time: 300ms}
trials: {count: 4}
limits: {timeout: 60s, retries: 0}
analysis: {baseline: {devices: 1}}
)";

constexpr const char* kTorch = R"(version: 1
study: two-nodes
workload: command
command:
  - torchrun
  - --tee=1
  - --redirects=1
  - --nnodes={nodes}
  - --node_rank={node_rank}
  - --nproc_per_node=1
  - --master_addr={master_addr}
  - --master_port={master_port}
  - )" SCALESTUDY_SOURCE_DIR R"(/docs/examples/own-program/train_ddp.py
  - --batch=16
  - --steps=4
  - --width=16
env: {OMP_NUM_THREADS: 1}
extract: [{metric: step_time_s, unit: ms, regex: 'step \d+: .* (\S+) ms'}]
zip: [{nodes: 1, devices: 1}, {nodes: 2, devices: 2}]
steps: {warmup: 1, measured: 3}
trials: {count: 2}
limits: {timeout: 100s, retries: 0}
)";

// What the same command says each time.
constexpr const char* kQuick = R"(version: 1
study: two-nodes
workload: command
command: [sh, -c, "sleep 0.3; echo node {node_rank} of {nodes} took 0.5"]
zip: [{nodes: 1, devices: 1}, {nodes: 2, devices: 2}]
extract: [{metric: step_time_s, unit: s, regex: 'took (\S+)'}]
steps: {warmup: 0, measured: 1}
trials: {count: 4}
limits: {timeout: 60s, retries: 0}
)";

void pause_ms(unsigned milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Whatever was done to its jobs: a study as one left alone, nothing twice, in any order.
void require_as_alone(const SubmittedStudy& study, const std::string& alone) {
  INFO(study.scalestudy({"status"}).out << study.logs());
  study.gather();
  study.gather();
  REQUIRE(study.outcome() == alone);
  REQUIRE(study.query("SELECT cell, block, count(*) FROM trials WHERE state = 'ok' "
                      "GROUP BY cell, block HAVING count(*) > 1") == "cell,block,count(*)\n");
  REQUIRE(study.query("SELECT trial FROM trials WHERE state = 'ok' AND trial NOT IN "
                      "(SELECT trial FROM samples WHERE metric = 'step_time_s')") == "trial\n");
  REQUIRE(wait_until([&] { return study.left_behind().empty(); }, kLongS));
  std::vector<int> jobs;
  while (std::filesystem::exists(study.job(static_cast<int>(jobs.size()) + 1))) {
    jobs.push_back(static_cast<int>(jobs.size()) + 1);
  }
  const std::string merged = study.merged("forth", jobs);
  REQUIRE_THAT(merged, Contains("n0,n1"));
  std::ranges::reverse(jobs);
  REQUIRE(study.merged("back", jobs) == merged);
  REQUIRE(study.merged("forth", {1}) == merged);
  REQUIRE(study.scalestudy({"report", "two-nodes"}).exit_code == 0);
}

// One of the ways in which a cluster disturbs jobs, at random, while they run.
class Disturber {
 public:
  Disturber(const Slurm& slurm, unsigned seed) : slurm_(slurm), random_(seed) {}

  // Returns what was done.
  std::string disturb(const SubmittedStudy& study) {
    wait_until([&] { return !study.running().empty() || slurm_.queue().empty(); }, kLongS);
    pause_ms(below(1500));
    const std::vector<int> running = study.running();
    const int job = running.empty() ? 1 + static_cast<int>(below(4)) : running.front();
    auto way = kWays.begin();
    std::advance(way, below(static_cast<unsigned>(kWays.size())));
    // A trial in which the harness died twice is given up, as it may be the trial's doing.
    static const std::set<std::string> deadly{
        "harness killed", "both killed", "node down", "out of time", "results away"};
    const bool is_second =
        deadly.contains(way->first) && !hit_.insert(study.results() + std::to_string(job)).second;
    const std::string name = is_second ? "requeued" : way->first;
    disturb(study, job, name);
    return name + " (" + std::to_string(job) + ")";
  }

  void disturb(const SubmittedStudy& study, int job, const std::string& way) {
    (this->*kWays.at(way))(study, slurm_.job(job));
  }

 private:
  using Way = void (Disturber::*)(const SubmittedStudy& study, const std::string& job);
  static const std::map<std::string, Way> kWays;

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  void requeue(const SubmittedStudy& /*study*/, const std::string& job) {
    slurm_.run({"scontrol", "requeue", job});
  }

  void preempt(const SubmittedStudy& /*study*/, const std::string& /*job*/) { slurm_.preempt(); }

  void kill_harness(const SubmittedStudy& /*study*/, const std::string& job) {
    slurm_.kill_run(job);
  }

  void kill_supervisor(const SubmittedStudy& /*study*/, const std::string& job) {
    slurm_.kill_run(job, "scalestudy-keep");
  }

  void kill_both(const SubmittedStudy& study, const std::string& job) {
    kill_supervisor(study, job);
    kill_harness(study, job);
  }

  void fail_node(const SubmittedStudy& /*study*/, const std::string& /*job*/) {
    slurm_.fail_node(below(2) == 0 ? "n0" : "n1");
    pause_ms(below(1000));
    slurm_.resume_nodes();
  }

  // As before the time limit. scancel asks ten times where the job was quicker.
  void tell_to_end(const SubmittedStudy& /*study*/, const std::string& job) {
    slurm_.run({"timeout", "2", "scancel", "--batch", "--signal=TERM", job});
  }

  // As a time limit that is shorter than what a run needs to end: TERM to all, then KILL.
  void end_time(const SubmittedStudy& /*study*/, const std::string& job) {
    slurm_.run({"timeout", "2", "scancel", "--full", "--signal=TERM", job});
    pause_ms(below(300));
    slurm_.run({"timeout", "2", "scancel", "--full", "--signal=KILL", job});
  }

  void cancel(const SubmittedStudy& /*study*/, const std::string& job) {
    slurm_.run({"scancel", job});
  }

  // No name below the folder leads anywhere for a while; what is open stays so.
  void take_away(const SubmittedStudy& study, const std::string& /*job*/) {
    const std::filesystem::path away = study.file("away");
    std::filesystem::rename(study.results(), away);
    pause_ms(below(2000));
    std::error_code ignored;
    std::filesystem::remove_all(study.results(), ignored);
    std::filesystem::rename(away, study.results());
  }

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): one of kWays, which are members
  void gather_twice(const SubmittedStudy& study, const std::string& /*job*/) {
    const std::vector<pid_t> gatherers{study.start_gathering("1"), study.start_gathering("2")};
    for (const pid_t gatherer : gatherers) {
      const int code = wait_for(gatherer);
      REQUIRE((code == 0 || code == 75));
    }
  }

  const Slurm& slurm_;
  std::mt19937 random_;
  std::set<std::string> hit_;  // jobs whose harness died
};

const std::map<std::string, Disturber::Way> Disturber::kWays = {
    {"requeued", &Disturber::requeue},
    {"preempted", &Disturber::preempt},
    {"harness killed", &Disturber::kill_harness},
    {"both killed", &Disturber::kill_both},
    {"node down", &Disturber::fail_node},
    {"told to end", &Disturber::tell_to_end},
    {"out of time", &Disturber::end_time},
    {"cancelled", &Disturber::cancel},
    {"results away", &Disturber::take_away},
    {"two gatherers", &Disturber::gather_twice},
};

// What is done to which job, while one of its trials runs.
using Disturbances = std::vector<std::pair<int, const char*>>;

void compare_with_one_left_alone(const std::string& text, const Disturbances& disturbances) {
  const Slurm slurm;
  const SubmittedStudy alone(slurm, text);
  alone.submit();
  REQUIRE(slurm.wait_for_all());
  alone.gather();
  INFO(alone.logs());
  REQUIRE(alone.query("SELECT state, hosts, count(*) = max(block) + 1 AS is_whole FROM trials "
                      "GROUP BY state, hosts") ==
          "state,hosts,is_whole\nok,n0,1\nok,\"n0,n1\",1\n");

  const SubmittedStudy study(slurm, text);
  study.hold();
  study.submit();
  Disturber disturber(slurm, 1);
  for (const auto& [job, way] : disturbances) {
    INFO(job << " " << way << study.logs());
    REQUIRE(study.wait_for_trial(job));
    const std::string told = study.scalestudy({"status"}).out;
    CHECK_THAT(told, !Contains("killed?") && !Contains("scalestudy run"));
    CHECK_THAT(told, Contains("job " + std::to_string(job) + ": running (n"));
    disturber.disturb(study, job, way);
    study.gather();
  }
  REQUIRE(study.finish());

  require_as_alone(study, alone.outcome());
  CHECK_THAT(study.scalestudy({"status"}).out, Contains(" done"));
}

unsigned variable(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? otherwise : static_cast<unsigned>(std::stoul(value));
}

// A disk in a file, of this test alone: its mounts are gone with its last process.
class Disk {
 public:
  Disk(std::string image, std::string folder)
      : image_(std::move(image)), folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    const bool is_apart =
        unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    if (!is_apart ||
        run_program({"sh", "-c", "truncate -s 32M " + image_ + " && mkfs.ext4 -q " + image_})
                .exit_code != 0 ||
        !attach()) {
      skip("a disk in a file cannot be mounted here (root, /dev/loop0 and mkfs.ext4)");
    }
  }
  ~Disk() { umount2(folder_.c_str(), MNT_DETACH); }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  bool attach() const {
    return run_program({"mount", "-o", "loop", image_, folder_}).exit_code == 0;
  }

  // From now on all that is asked of it fails, and what was not synced is lost.
  void fail() const {
    constexpr unsigned long shut_down = 0x8004587d;  // EXT4_IOC_SHUTDOWN, as xfs has it
    unsigned without_log = 2;
    const int descriptor = open(folder_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_down = ioctl(descriptor, shut_down, &without_log) == 0;
    close(descriptor);
    REQUIRE(is_down);
  }

  // Comes back when nobody has anything of it open any more.
  void come_back() const {
    REQUIRE(wait_until([&] { return umount(folder_.c_str()) == 0; }, kLongS));
    REQUIRE(attach());
  }

 private:
  std::string image_;
  std::string folder_;
};

}  // namespace

TEST_CASE("a study in jobs that are requeued, killed and told to end is one left alone",
          "[submit][slow]") {
  compare_with_one_left_alone(kTrain,
                              {{1, "requeued"},
                               {1, "told to end"},
                               {2, "preempted"},
                               {2, "node down"},
                               {3, "both killed"},
                               {4, "cancelled"}});
}

TEST_CASE("PyTorch's DDP in jobs that are requeued, killed and told to end is one left alone",
          "[submit][slow]") {
  if (run_program({"/bin/sh", "-c", "torchrun --help"}).exit_code != 0) {
    skip("torchrun is missing (apt-get install python3-torch)");
  }
  compare_with_one_left_alone(
      kTorch, {{1, "requeued"}, {1, "both killed"}, {2, "node down"}, {2, "cancelled"}});
}

TEST_CASE("whatever a cluster does to jobs, the study is one left alone", "[submit]") {
  const unsigned count = variable("SCALESTUDY_TORTURE", 4);
  const unsigned seed = variable("SCALESTUDY_TORTURE_SEED", 20261122U);
  const Slurm slurm;
  const SubmittedStudy alone(slurm, kQuick);
  alone.submit();
  REQUIRE(slurm.wait_for_all());
  alone.gather();
  const std::string outcome = alone.outcome();
  REQUIRE(std::count(outcome.begin(), outcome.end(), '\n') == 9);

  Disturber disturber(slurm, seed);
  for (unsigned done = 0; done < count;) {
    const SubmittedStudy study(slurm, kQuick);
    study.submit();
    std::string how;
    for (int times = 0; times < 4 && done < count; ++times, ++done) {
      how += disturber.disturb(study) + ", ";
    }
    std::printf("%u of %u disturbances: %s\n", done, count, how.c_str());
    std::fflush(stdout);
    CAPTURE(seed, how);
    REQUIRE(study.finish());
    require_as_alone(study, outcome);
  }
}

TEST_CASE("results whose file system fails and comes back lose nothing", "[submit][slow]") {
  const TemporaryFolder folder;
  const Disk disk(folder.file("image"), folder.file("disk"));
  const Slurm slurm;
  const SubmittedStudy alone(slurm, kQuick);
  alone.submit();
  REQUIRE(slurm.wait_for_all());
  alone.gather();

  const SubmittedStudy study(slurm, kQuick, folder.file("disk/results"));
  study.submit();
  REQUIRE(study.wait_for_trial(2));
  disk.fail();
  REQUIRE(slurm.wait_for_all());
  disk.come_back();
  const auto status = study.scalestudy({"status"});
  INFO(status.err);
  CHECK_THAT(status.out, Contains("left"));
  REQUIRE(study.finish());

  require_as_alone(study, alone.outcome());
}
