// What a run does about checkpoints: goes on from one, saves, meets the failure that is asked for,
// and says what all that took.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/protocol/events.h"
#include "workloads/rank/world.h"
#include "workloads/train/saves/checkpoints.h"
#include "workloads/train/saves/failures.h"
#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// The folder of checkpoints that a supervisor has made for this run alone (supervise.h).
inline constexpr const char* kFolderVariable = "SCALESTUDY_CHECKPOINTS";

// Main thread only; every rank calls each function. Without save_every and failure nothing is done.
class Saves {
 public:
  // The folder is that of kFolderVariable, else save_dir. Throws WorkloadError: (usage) neither is
  // given, or its newest checkpoint has more than the run's steps; and as Checkpoints().
  //   texts  as complete() returned them; options and world outlive this.
  Saves(const Options& options, const Texts& texts, const rank::World& world);

  // That another process came to; 0: none did.
  std::size_t first_step() const { return first_step_; }

  // At which it saved last; 0: it did not.
  std::size_t last_step() const { return saved_; }

  // Before the first step: loads what there is to go on from.
  void load(Trainer& trainer);

  // Behind a step, when so many are done: saves and fails where it is time to. Throws WorkloadError
  // (failed) instead of saving parameters, or losses since the last save, that are not finite.
  void after_step(std::size_t done, Trainer& trainer);

  // At the end, when nothing needs the trainer's state any more: loads the newest checkpoint, where
  // this process has saved and not loaded, so that the time of it is known.
  void read_back(Trainer& trainer);

  // On rank 0, one value a save or load: checkpoint_save_time_s, checkpoint_load_time_s,
  // checkpoint_written_bytes, checkpoint_cached_share; one value: checkpoint_bytes; behind a
  // failure whose end a launcher has told, failure_detection_time_s, recovery_time_s, their sum
  // downtime_s, and lost_steps.
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
  std::optional<FailureRecord> past_;  // what another process failed of, on rank 0
  bool has_failed_ = false;            // the same on every rank
  std::size_t first_step_ = 0;
  std::size_t saved_ = 0;  // at which step last
  std::vector<double> save_s_;
  std::vector<double> written_bytes_;
  std::vector<double> load_s_;
  std::vector<double> cached_shares_;
  std::optional<double> recovered_s_;  // when the first step behind a failure was done
};

// Lines of a summary: each of the series with its mean; empty without any.
std::string describe_saves(const std::vector<protocol::Samples>& series);

}  // namespace scalestudy::train
