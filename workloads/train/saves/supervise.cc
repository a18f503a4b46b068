#include "workloads/train/saves/supervise.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/clock.h"
#include "workloads/train/saves/failures.h"
#include "workloads/train/saves/saves.h"

namespace scalestudy::train {
namespace {

namespace fs = std::filesystem;

constexpr int kSignalExitBase = 128;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): what a handler needs
volatile std::sig_atomic_t command_pid = 0;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t told_signal = 0;

void pass_on(int signal) {
  told_signal = signal;
  if (command_pid > 0) {
    ::kill(command_pid, signal);
  }
}

// Its exit code, as a shell says it; 126 where no process could be made.
int run_command(const std::vector<char*>& argv) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // mpirun outlives nobody who could end it
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      std::signal(signal, SIG_DFL);
    }
    ::execvp(argv.front(), argv.data());
    std::perror(argv.front());
    ::_exit(127);
  }
  if (pid < 0) {
    std::perror("scalestudy: fork");
    return 126;
  }
  command_pid = pid;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  command_pid = 0;
  return WIFSIGNALED(status) ? kSignalExitBase + WTERMSIG(status) : WEXITSTATUS(status);
}

// Empty where none can be made.
fs::path own_folder(const std::string& parent) {
  std::error_code error;
  const fs::path in = parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
  fs::create_directories(in, error);
  std::string name = (in / "scalestudy-XXXXXX").string();
  return ::mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

}  // namespace

int supervise(std::span<const char* const> arguments) {
  if (arguments.size() < 2) {
    std::fputs("scalestudy: --supervise FOLDER COMMAND...: a folder and a command are needed\n",
               stderr);
    return protocol::kExitUsage;
  }
  const fs::path folder = own_folder(arguments[0]);
  if (folder.empty()) {
    std::fprintf(stderr,
                 "scalestudy: save_dir is %s: %s; give a folder that can be written to\n",
                 arguments[0],
                 std::generic_category().message(errno).c_str());
    return protocol::kExitUsage;
  }
  ::setenv(kFolderVariable, folder.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  std::vector<char*> argv;
  for (const char* argument : arguments.subspan(1)) {
    argv.push_back(const_cast<char*>(argument));  // NOLINT: as the interface wants it
  }
  argv.push_back(nullptr);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    std::signal(signal, pass_on);
  }
  int code = run_command(argv);
  const double known_s = rank::now_s();
  if (std::optional<FailureRecord> failure = read_failure(folder);
      code != 0 && failure && told_signal == 0) {
    failure->known_s = known_s;
    write_failure(folder, *failure);
    code = run_command(argv);
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return code;
}

}  // namespace scalestudy::train
