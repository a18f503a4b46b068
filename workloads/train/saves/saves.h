// The checkpoints of a run: goes on from one, saves, meets the failure that was asked for, and
// reports the times of all that.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "workloads/protocol/events.h"
#include "workloads/rank/world.h"
#include "workloads/train/saves/checkpoints.h"
#include "workloads/train/saves/failures.h"
#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// The variable that names the folder of checkpoints made by a supervisor for this run
// (supervise.h).
inline constexpr const char* kFolderVariable = "SCALESTUDY_CHECKPOINTS";

// Main thread only; every rank calls each function. Without save_every and failure nothing is done.
class Saves {
 public:
  // The folder is that of kFolderVariable, else save_dir. Throws WorkloadError: (usage) neither is
  // given, or its newest checkpoint has more than the run's steps; and as Checkpoints().
  //   texts  as complete() returned them; options and world outlive this.
  Saves(const Options& options, const Texts& texts, const rank::World& world);

  // The step of the checkpoint of another process from which this one goes on; 0 without one.
  std::size_t first_step() const { return first_step_; }

  // The step of this process's last save; 0 without one.
  std::size_t last_step() const { return saved_; }

  // Call it before the first step: loads the checkpoint to go on from, if there is one.
  void load(Trainer& trainer);

  // Call it after each step, with the number of steps done: saves, and fails, when it is time.
  // Throws WorkloadError (failed) instead of saving if parameters, or losses since the last save,
  // are not finite.
  void after_step(std::size_t done, Trainer& trainer);

  // Call it at the end, when nothing needs the trainer's state any more: loads the newest
  // checkpoint to measure the time of that, if this process has saved and not loaded.
  void read_back(Trainer& trainer);

  // The series of saves and loads, on rank 0:
  // - checkpoint_save_time_s, checkpoint_written_bytes: a value for each save.
  // - checkpoint_load_time_s, checkpoint_cached_share: a value for each load.
  // - checkpoint_bytes: one value.
  // - failure_detection_time_s, recovery_time_s, their sum downtime_s, and lost_steps: one value
  //   each, after a failure whose end a launcher has told.
  std::vector<protocol::Samples> series() const;

 private:
  bool is_asked() const {
    return options_.saves.every > 0 || options_.failure.kind != FailureKind::kNone;
  }
  void save(std::size_t done, Trainer& trainer, const std::filesystem::path& instead = {});
  Loaded take(Trainer& trainer);

  const Options& options_;
  const rank::World& world_;
  std::filesystem::path folder_;
  std::optional<Checkpoints> checkpoints_;
  std::optional<FailureRecord> past_;  // the failure that ended another process, on rank 0
  bool has_failed_ = false;            // the same on every rank
  std::size_t first_step_ = 0;
  std::size_t saved_ = 0;  // step of the last save
  std::vector<double> save_s_;
  std::vector<double> written_bytes_;
  std::vector<double> load_s_;
  std::vector<double> cached_shares_;
  std::optional<double> recovered_s_;  // when the first step after a failure was done
};

// Lines of a summary: each series with its mean; empty without series.
std::string describe_saves(const std::vector<protocol::Samples>& series);

}  // namespace scalestudy::train
