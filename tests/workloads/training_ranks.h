// Ranks of training_probe that stay and train what they are sent: their start takes longer than
// most trainings.
#pragma once

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"

namespace scalestudy::test {

class TrainingRanks {
 public:
  // - command: mpirun with its options, and training_probe without arguments
  TrainingRanks(int ranks,
                const std::vector<std::string>& command,
                std::vector<std::string> environment)
      : ranks_(ranks), folder_(std::make_unique<TemporaryFolder>()) {
    environment.insert(environment.end(),
                       {"SCALESTUDY_PROBE_REQUESTS=" + folder_->path().string(),
                        "SCALESTUDY_PROBE_OWNER=" + std::to_string(getpid())});
    pid_ = start_program(command,
                         mpirun_environment(environment),
                         "/dev/null",
                         folder_->file("out"),
                         folder_->file("err"));
  }

  ~TrainingRanks() {
    folder_.reset();  // which ends the ranks
    if (pid_ != 0) {
      wait_for(pid_);
    }
  }

  TrainingRanks(const TrainingRanks&) = delete;
  TrainingRanks& operator=(const TrainingRanks&) = delete;

  // Trains with these arguments of training_probe on every rank. False once the ranks have ended,
  // as they do when one fails.
  bool train(const std::vector<std::string>& arguments) {
    const std::string request = folder_->file(std::to_string(requests_++));
    std::ofstream text(request + ".new");
    for (const std::string& argument : arguments) {
      text << argument << '\n';
    }
    text.close();
    std::filesystem::rename(request + ".new", request);
    for (int rank = 0; pid_ != 0 && rank < ranks_; ++rank) {
      while (pid_ != 0 && !std::filesystem::exists(request + "." + std::to_string(rank))) {
        pid_ = waitpid(pid_, nullptr, WNOHANG) == pid_ ? 0 : pid_;
        usleep(1000);
      }
    }
    return pid_ != 0;
  }

  std::string errors() const { return read_file(folder_->file("err")); }

 private:
  int ranks_;
  std::unique_ptr<TemporaryFolder> folder_;
  pid_t pid_ = 0;  // 0 once it has ended
  int requests_ = 0;
};

// Trains on the ranks that `command` starts in this environment, or started before.
inline void train_on(int ranks,
                     const std::vector<std::string>& command,
                     const std::vector<std::string>& environment,
                     const std::vector<std::string>& arguments) {
  static std::map<std::tuple<std::vector<std::string>, std::vector<std::string>>, TrainingRanks>
      started;
  const auto key = std::tuple(command, environment);
  TrainingRanks& trainers = started.try_emplace(key, ranks, command, environment).first->second;
  const bool has_trained = trainers.train(arguments);
  const std::string errors = trainers.errors();
  if (!has_trained) {
    started.erase(key);
  }
  INFO(errors);
  REQUIRE(has_trained);
}

}  // namespace scalestudy::test
