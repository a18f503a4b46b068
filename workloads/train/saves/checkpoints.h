// Checkpoints of a run in one folder: each a folder `step_N` of files that ranks write, and a
// manifest that says what they hold.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"
#include "workloads/train/saves/checkpoint_files.h"
#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// What a checkpoint says about itself.
struct Manifest {
  std::size_t step = 0;  // steps done
  std::size_t ranks = 0;
  std::map<std::string, FileSum> files;  // by name
  Texts parameters;  // those that the state depends on; with a pipeline its stages' layers too
};

// The results of loading a checkpoint.
struct Loaded {
  double time_s = 0.0;   // on rank 0: from when all ranks have met to when all have what they need
  Pages pages = {};      // of the files that this rank read, before it did
  RankSteps steps = {};  // times of the steps before the checkpoint
};

// What a save took, on rank 0.
struct Saved {
  double time_s = 0.0;  // from when all ranks have met to when the checkpoint is on storage
  double bytes = 0.0;   // written by all ranks, without the manifest
};

// Writes and reads the checkpoints of one folder. Each rank writes `rank_R.state`, the parameters
// and optimizer's state that it updates (ddp: rank 0 only, as they are the same everywhere), to the
// folder `partial`. The files are synced, the manifest follows, and the folder is renamed: a run
// that is killed at any moment leaves the checkpoint before whole, which is removed once the new
// one is there. Each rank adds the times and losses of its steps to `rank_R.steps`, which stays. A
// manifest says how much of that belongs to its checkpoint; what a killed save has left after that
// is written over. Main thread only; every rank calls each function.
class Checkpoints {
 public:
  // Makes the folder if it is missing. Throws WorkloadError: (failed) it cannot be made; (usage)
  // another run keeps checkpoints there, or its newest checkpoint is damaged or of a run with other
  // ranks or parameters, which the message names.
  //   texts  as complete() returned them; world outlives this.
  Checkpoints(std::filesystem::path folder, Texts texts, const rank::World& world);

  // Steps of the newest whole checkpoint.
  std::optional<std::size_t> newest() const;

  // Saves the state after `step` steps, no fewer than those of the newest checkpoint; its timer is
  // paused. The removal of the checkpoint before is not in the time.
  // - instead: an unwritable path, to which this rank's files go in place of the folder.
  // - throws: WorkloadError (failed) if the checkpoint cannot be written.
  Saved save(std::size_t step, const State& state, const std::filesystem::path& instead = {});

  // Reads the newest checkpoint, which must exist, into the trainer.
  // - drops_cache: its pages leave the page cache first.
  // - throws: WorkloadError (usage) if it is not whole.
  Loaded load(Trainer& trainer, bool drops_cache) const;

  // Bytes of the newest checkpoint, of each file the part that belongs to it, without the manifest;
  // 0 without a checkpoint. On rank 0.
  double bytes() const;

 private:
  std::filesystem::path folder_of(std::size_t step) const;
  // The part of a file that stays at the next save: of a file of steps those of the newest
  // checkpoint.
  FileSum kept_of(const std::string& name) const;
  Manifest read_manifest(std::size_t step) const;
  void require_equal(const Manifest& manifest) const;
  void publish(std::size_t step, const Manifest& manifest) const;
  void remove_others(std::size_t step) const;
  // Every rank's files on rank 0, this rank's own elsewhere.
  std::map<std::string, FileSum> gather(std::map<std::string, FileSum> own) const;

  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;  // on rank 0
  Texts parameters_;
  const rank::World& world_;
  std::optional<Manifest> newest_;  // with all files on rank 0
};

// Throws std::invalid_argument for a text that is no manifest.
Manifest parse_manifest(const std::string& text);
std::string format_manifest(const Manifest& manifest);

}  // namespace scalestudy::train
