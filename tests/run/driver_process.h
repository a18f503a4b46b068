// Starts the test program run_driver and watches what it leaves.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace scalestudy::test {

// A driver running a study; killed with the object if it still runs.
class DriverProcess {
 public:
  DriverProcess(const std::filesystem::path& results, const std::filesystem::path& study)
      : pid_(fork()) {
    if (pid_ == 0) {
      execl(SCALESTUDY_RUN_DRIVER, "run_driver", results.c_str(), study.c_str(), nullptr);
      _exit(127);
    }
  }
  DriverProcess(const DriverProcess&) = delete;
  DriverProcess& operator=(const DriverProcess&) = delete;
  ~DriverProcess() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }

  void send(int signal) const { kill(pid_, signal); }
  pid_t pid() const { return pid_; }

  // Waits for the driver's end; returns its exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace scalestudy::test
