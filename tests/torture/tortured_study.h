// A small study with the real program, in a folder of its own, and what is counted while it is
// disturbed.
#pragma once

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/mount.h>
#include <sys/wait.h>

#include "harness/run/process/process_tree.h"
#include "tests/run/trial_scripts.h"
#include "tests/support/program.h"

namespace scalestudy::test {

inline constexpr int kBlocks = 4;

// What must all be 0.
struct Counts {
  int lost = 0;
  int doubled = 0;
  int orphaned = 0;
  int unreportable = 0;
  int ended = 0;       // by what should only disturb
  int unanswered = 0;  // verbs that neither did what was asked nor said why
  int hung = 0;

  [[nodiscard]] int sum() const {
    return lost + doubled + orphaned + unreportable + ended + unanswered + hung;
  }
};

// Three times in the protocol, and on stdout what the cell says.
inline constexpr const char* kTrial = R"(case $1 in
deep) head -c 200000 /dev/zero | tr '\0' '[' ;;
long) head -c 5000000 /dev/zero | tr '\0' x ;;
binary) head -c 20000 /dev/urandom ;;
child) sleep 600 > /dev/null 2>&1 & ;;
away) setsid sleep 600 > /dev/null 2>&1 & ;;
esac
sleep 0.0$2
{
echo '{"v":1,"event":"start","workload":"own","ranks":1}'
echo '{"v":1,"event":"samples","metric":"step_time_s","unit":"s","warmup":1,"values":[3,1,2]}'
test $1 = deep && head -c 200000 /dev/zero | tr '\0' '['
echo '{"v":1,"event":"end","ok":true}'
} > "$SCALESTUDY_OUTPUT"
)";

// One study in a folder of its own; what it starts carries its mark in the environment.
class TorturedStudy {
 public:
  TorturedStudy() : mark_(folder_.path().filename().string()) {
    std::filesystem::create_directories(results());
    write_file(
        file(),
        "version: 1\nstudy: tortured\ntitle: Tortured\nworkload: command\ncommand: [\"" +
            folder_.script("trial", kTrial) +
            "\", \"{prints}\", \"{pause}\"]\nparameters: {pause: 3, env.TORTURED: \"" + mark_ +
            "\"}\naxes: {prints: [little, deep, long, binary, child, away]}\n"
            "steps: {warmup: 1, measured: 2}\ntrials: {count: " +
            std::to_string(kBlocks) + "}\nlimits: {retries: 0, timeout: 20s}\non_finish: [\"" +
            folder_.script("hook", "exit 0") + "\"]\n");
  }
  ~TorturedStudy() {
    if (is_mounted_) {
      umount2(results().c_str(), MNT_DETACH);
    }
    for (const int left : left_behind()) {
      kill(left, SIGKILL);
    }
  }
  TorturedStudy(const TorturedStudy&) = delete;
  TorturedStudy& operator=(const TorturedStudy&) = delete;

  std::string file() const { return folder_.file("study.yaml"); }
  const std::string& mark() const { return mark_; }
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::string script(const std::string& name, const std::string& body) const {
    return folder_.script(name, body);
  }
  std::filesystem::path results() const { return folder_.path() / "results"; }
  std::vector<int> left_behind() const { return processes_with("TORTURED=" + mark_); }

  // Starts `scalestudy VERB`, `run` or one of a stored study, through a shell that redirects as
  // said, or below `before`.
  pid_t start(const std::string& verb,
              const std::string& redirections = "",
              const std::vector<std::string>& before = {}) const {
    std::vector<std::string> command = before;
    const std::vector<std::string> own = {
        "sh",
        "-c",
        "exec \"$0\" --results \"$1\" \"$2\" \"$3\" " + redirections,
        SCALESTUDY_TEST_BIN "/scalestudy",
        results(),
        verb,
        verb == "run" ? file() : "tortured"};
    command.insert(command.end(), own.begin(), own.end());
    return start_program(command, {}, "/dev/null", folder_.path() / "out", err());
  }
  std::filesystem::path err() const { return folder_.path() / "err"; }

  // Of the results folder: a disk of its own that holds `size`; false where that needs root.
  bool mount_disk(const std::string& options) {
    const unsigned long flags = is_mounted_ ? MS_REMOUNT : 0;
    const bool is_done = mount("tmpfs",
                               results().c_str(),
                               "tmpfs",
                               flags | (options.starts_with("ro") ? MS_RDONLY : 0),
                               options.c_str()) == 0;
    is_mounted_ = is_mounted_ || is_done;
    return is_done;
  }

 private:
  TrialFolder folder_;
  std::string mark_;
  bool is_mounted_ = false;
};

inline void pause_ms(unsigned milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// The harness's own child: the supervisor of the trial that runs now, if one does.
inline pid_t supervisor_of(pid_t harness) {
  const std::string path = "/proc/" + std::to_string(harness) + "/task/" + std::to_string(harness);
  const std::string children = read_file(path + "/children");
  return children.empty() ? 0 : std::stoi(children);
}

inline void send(pid_t process, int signal) {
  if (process > 0) {
    kill(process, signal);
  }
}

// Whether each waits for something (S, and for what in the kernel), for a CPU (R) or is stopped
// (T), and how long it has run: of one that a busy machine has not let run for minutes, an R.
inline void print_processes(pid_t harness) {
  std::vector<ProcessInfo> processes = descendants(harness);
  processes.emplace_back();
  read_process(harness, processes.back());
  for (const ProcessInfo& process : processes) {
    const std::string folder = "/proc/" + std::to_string(process.pid);
    std::printf("%d %s, child of %d: %c, %s, ns run, waited, slices: %s",
                process.pid,
                process.name.c_str(),
                process.parent,
                process.state,
                read_file(folder + "/wchan").c_str(),
                read_file(folder + "/schedstat").c_str());
  }
}

// Waits for a run; one that does not end is printed, killed and counted.
inline int end_of(pid_t harness, Counts& counts) {
  int status = 0;
  if (!wait_until([&] { return waitpid(harness, &status, WNOHANG) == harness; }, 120.0)) {
    ++counts.hung;
    print_processes(harness);
    kill(harness, SIGKILL);
    waitpid(harness, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The same of a run that nothing ended: to its end, with trials that failed or without.
inline void expect_end(const TorturedStudy& study, pid_t harness, Counts& counts) {
  const int ending = end_of(harness, counts);
  if (ending != 0 && ending != 3) {
    std::printf("a run exits with %d:\n%s\n", ending, read_file(study.err()).c_str());
    ++counts.ended;
  }
}

}  // namespace scalestudy::test
