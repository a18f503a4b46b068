// Checkpoints of a run in one folder: each a folder `step_N` of files that ranks write, and a
// manifest that says what they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"
#include "workloads/train/saves/checkpoint_files.h"
#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// What a checkpoint says of itself.
struct Manifest {
  std::size_t step = 0;  // steps done
  std::size_t ranks = 0;
  std::map<std::string, FileSum> files;  // by name
  Texts parameters;  // what the state depends on, of a pipeline its stages' layers too
};

// Of loading one.
struct Loaded {
  double time_s = 0.0;   // on rank 0: from when all ranks have met to when all have what they need
  Pages pages = {};      // of the files that this rank read, before it did
  RankSteps steps = {};  // what those before took
};

// What a save took, on rank 0.
struct Saved {
  double time_s = 0.0;  // from when all ranks have met to when the checkpoint is on storage
  double bytes = 0.0;   // that all ranks wrote, but for the manifest
};

// Each rank writes `rank_R.state`, the parameters and optimizer's state that it updates (ddp: rank
// 0 alone, as they are the same everywhere), to `partial`; the files are synced, get the manifest
// behind them, and the folder is renamed: a run that is killed at any moment leaves the checkpoint
// before it whole. That is removed once the new one is there. What its steps took and lost each
// rank adds to `rank_R.steps`, which stays; a manifest says how much of it belongs to its
// checkpoint, and what a killed save has left behind that is written over. Main thread only; every
// rank calls each function.
class Checkpoints {
 public:
  // Makes the folder where it is not there. Throws WorkloadError: (failed) it cannot be made;
  // (usage) another run keeps checkpoints there; its newest checkpoint is damaged, or of a run with
  // other ranks or parameters, which it names.
  //   texts  as complete() returned them; world outlives this.
  Checkpoints(std::filesystem::path folder, const Texts& texts, const rank::World& world);

  // Steps of the newest whole checkpoint.
  std::optional<std::size_t> newest() const;

  // Saves the state of after `step` steps, which is at the newest one's or behind it; its timer is
  // paused. The checkpoint before is removed behind what it takes.
  //   instead  where this rank's files go in place of the folder: what cannot be written to.
  // Throws WorkloadError (failed) where it cannot be written.
  Saved save(std::size_t step, const State& state, const std::filesystem::path& instead = {});

  // Reads the newest one, which there is, into the trainer.
  //   drops_cache  its pages leave the page cache first.
  // Throws WorkloadError (usage) where it is not whole.
  Loaded load(Trainer& trainer, bool drops_cache) const;

  // Of all files of the newest one but the manifest, and their parts that are its; 0 without one.
  // On rank 0.
  double bytes() const;

 private:
  std::filesystem::path folder_of(std::size_t step) const;
  // What of a file stays at the next save: of steps those of the newest one.
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

// Throws std::invalid_argument for what is none.
Manifest parse_manifest(const std::string& text);
std::string format_manifest(const Manifest& manifest);

}  // namespace scalestudy::train
