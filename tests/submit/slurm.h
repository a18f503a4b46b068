// A real Slurm on this machine: a controller and two nodes, n0 and n1, of two cores each, in a
// folder and on ports of its own. Ended with the test, however that ends.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>

#include "harness/base/read_environment.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace scalestudy::test {

// Ends the test as skipped where Slurm is not installed; with SCALESTUDY_REQUIRE_SLURM it fails.
inline void require_slurm() {
  for (const char* program : {"slurmctld", "slurmd", "sbatch", "mpirun"}) {
    if (run_program({"sh", "-c", std::string("PATH=$PATH:/usr/sbin command -v ") + program})
            .exit_code != 0) {
      // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
      REQUIRE(std::getenv("SCALESTUDY_REQUIRE_SLURM") == nullptr);
      skip(std::string(program) +
           " is not installed (apt-get install slurmctld slurmd slurm-client "
           "slurm-wlm-basic-plugins openmpi-bin)");
    }
  }
}

// Time limit for Slurm on a machine that does much else meanwhile.
constexpr double kLongS = 240.0;

class Slurm {
 public:
  Slurm() {
    require_slurm();
    write_configuration();
    watch();
    const std::string path = "PATH=/usr/sbin:/sbin:" + test::search_path();
    variables_ = {mark(), path};
    // env looks on that path; an ordinary user's has no sbin.
    start({"env", "slurmctld", "-D", "-c"}, "controller");
    start({"env", "slurmd", "-D", "-N", "n0"}, "n0");
    start({"env", "slurmd", "-D", "-N", "n1"}, "n1");
    INFO(read_file(folder_.path() / "log/controller.out"));
    const bool is_up = wait_until(
        [&] {
          return run({"sinfo", "-h", "-o", "%t %D"}).out == "idle 2\n";
        },
        kLongS);
    if (!is_up) {
      UNSCOPED_INFO(run({"sinfo"}).out << read_file(folder_.path() / "log/slurmctld.log"));
    }
    REQUIRE(is_up);
  }
  ~Slurm() { end_all(); }
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

  // Runs a program as a user of this Slurm.
  ProgramResult run(const std::vector<std::string>& argv) const {
    return run_program(argv, variables_);
  }
  const std::vector<std::string>& variables() const { return variables_; }

  // "3 RUNNING" of every job in the queue, by index in its array, one a line, in Slurm's order.
  std::string queue() const {
    const ProgramResult asked = run({"squeue", "-h", "-r", "-o", "%K %T"});
    return asked.exit_code == 0 ? asked.out : asked.err;
  }

  // Lets what waits until it is released, or for two minutes as requeued jobs do, begin soon: in
  // the second in which it was ended Slurm takes the credential of a job for revoked, and drops it.
  //   index  of its array; below 0: of all.
  void begin(int index = -1) const {
    constexpr std::chrono::seconds again(5);
    std::istringstream lines(run({"squeue", "-h", "-r", "-t", "PENDING", "-o", "%K %F_%K %r"}).out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string number;
      std::string job;
      std::string why;
      words >> number >> job >> why;
      const auto now = std::chrono::steady_clock::now();
      if (index >= 0 && number != std::to_string(index)) {
        continue;
      }
      if (why == "JobHeldUser") {
        run({"scontrol", "release", job});
      } else if (why == "BeginTime" && now - hurried_[job] > again) {
        hurried_[job] = now;
        run({"scontrol", "update", "jobid=" + job, "starttime=now+2"});
      }
    }
  }

  // Waits until no job is left, and releases those that are held or delayed.
  bool wait_for_all(double timeout_s = kLongS) const {
    return wait_until(
        [&] {
          usleep(50'000);
          begin();
          return queue().empty();
        },
        timeout_s);
  }

  // The last lines of the controller's log.
  std::string log() const {
    return run({"tail", "-n", "60", folder_.file("log/slurmctld.log")}).out;
  }

  // Slurm's number of the job with that index; "" when it is not in the queue.
  std::string job(int index) const {
    const std::string found =
        run({"sh", "-c", "squeue -h -r -o '%A %K' | sed -n 's/ " + std::to_string(index) + "$//p'"})
            .out;
    return found.substr(0, found.find('\n'));
  }

  // Ends a job's run without a word, or what its trials are supervised by; returns how many there
  // were.
  int kill_run(const std::string& job, const std::string& program = "scalestudy") const {
    int killed = 0;
    for (const int process : processes_with("SLURM_JOB_ID=" + job)) {
      const std::string folder = "/proc/" + std::to_string(process);
      const bool is_ours = read_environment(process).find(mark()) != std::string::npos;
      if (is_ours && read_file(folder + "/comm") == program + "\n") {
        killed += kill(process, SIGKILL) == 0 ? 1 : 0;
      }
    }
    return killed;
  }

  // Takes a node down, as Slurm does when it does not answer. resume_nodes() brings it back.
  void fail_node(const std::string& node) const {
    run({"scontrol", "update", "nodename=" + node, "state=down", "reason=test"});
  }
  void resume_nodes() const {
    for (const char* node : {"n0", "n1"}) {
      run({"scontrol", "update", std::string("nodename=") + node, "state=resume"});
    }
  }

  // Submits an urgent job that takes both nodes for a moment: others are ended, and queued again
  // unless they are in the partition "cheap".
  void preempt() const {
    run({"sbatch",
         "--partition=urgent",
         "--nodes=2",
         "--exclusive",
         "--output=/dev/null",
         "--wrap=sleep 0.2"});
  }

 private:
  std::string mark() const { return "SLURM_CONF=" + folder_.file("slurm.conf"); }

  static int free_port() {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the interface wants it
    REQUIRE(bind(descriptor, generic, length) == 0);
    REQUIRE(getsockname(descriptor, generic, &length) == 0);
    close(descriptor);
    return ntohs(address.sin_port);
  }

  void write_configuration() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const std::string user = getpwuid(geteuid())->pw_name;  // NOLINT(concurrency-mt-unsafe)
    const std::string folder = folder_.path().string();
    for (const char* name : {"state", "spool", "log", "tmp/n0", "tmp/n1"}) {
      std::filesystem::create_directories(folder_.path() / name);
    }
    std::string text =
        "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmUser=" + user +
        "\nSlurmdUser=" + user +
        "\nAuthType=auth/none\nCredType=cred/none\n"
        "StateSaveLocation=" +
        folder + "/state\nSlurmdSpoolDir=" + folder + "/spool/%n\nSlurmctldPidFile=" + folder +
        "/slurmctld.pid\nSlurmdPidFile=" + folder + "/slurmd.%n.pid\nSlurmctldLogFile=" + folder +
        "/log/slurmctld.log\nSlurmdLogFile=" + folder + "/log/slurmd.%n.log\nTmpFS=" + folder +
        "/tmp/%n\n"
        "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
        "JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n"
        "JobCompType=jobcomp/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
        "SchedulerType=sched/backfill\n"
        "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0\n"
        "SlurmdParameters=config_overrides\nReturnToService=2\nSwitchType=switch/none\n"
        "MpiDefault=none\nTreeWidth=64\nKillWait=3\nSlurmctldTimeout=30\nSlurmdTimeout=10\n"
        "MinJobAge=300\nSlurmctldPort=" +
        std::to_string(free_port()) + "\n";
    for (const char* node : {"n0", "n1"}) {
      text += "NodeName=" + std::string(node) + " NodeHostname=" + host.data() +
              " NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN Port=" +
              std::to_string(free_port()) + "\n";
    }
    write_file(folder_.path() / "slurm.conf",
               text +
                   "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
                   "PartitionName=p Nodes=n0,n1 Default=YES MaxTime=INFINITE State=UP "
                   "PriorityTier=1\n"
                   "PartitionName=cheap Nodes=n0,n1 MaxTime=INFINITE State=UP PriorityTier=1 "
                   "PreemptMode=CANCEL\n"
                   "PartitionName=urgent Nodes=n0,n1 MaxTime=INFINITE State=UP PriorityTier=9\n");
  }

  void start(const std::vector<std::string>& argv, const std::string& name) const {
    const auto log = folder_.path() / "log" / (name + ".out");
    start_program(argv, variables_, "/dev/null", log, folder_.path() / "log" / (name + ".err"));
  }

  // Everything that was started here, tasks of jobs too, has the mark in its environment.
  static void kill_marked(const std::string& mark) {
    for (int round = 0; round < 50; ++round) {
      const std::vector<int> left = processes_with(mark);
      if (left.empty()) {
        return;
      }
      for (const int process : left) {
        kill(process, SIGKILL);
      }
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      usleep(20'000);
    }
  }

  // A process apart that outlives this one for as long as it takes to end what is left.
  void watch() {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    if (const pid_t child = fork(); child != 0) {
      waitpid(child, nullptr, 0);
      close(ends[0]);
      fcntl(ends[1], F_SETFD, FD_CLOEXEC);
      return;
    }
    setsid();
    if (fork() != 0) {
      std::_Exit(0);
    }
    close(ends[1]);
    for (int descriptor : {0, 1, 2}) {
      close(descriptor);
    }
    char none = 0;
    while (read(ends[0], &none, 1) > 0) {
    }
    kill_marked(mark());
    std::_Exit(0);
  }

  void end_all() const { kill_marked(mark()); }

  TemporaryFolder folder_;
  std::vector<std::string> variables_;
  mutable std::map<std::string, std::chrono::steady_clock::time_point> hurried_;  // jobs, when
};

}  // namespace scalestudy::test
