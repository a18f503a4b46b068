// Reads what a rank takes of each step's samples from a file, decodes it, and counts what that
// took.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workloads/rank/world.h"
#include "workloads/train/input/read_ahead.h"
#include "workloads/train/input/sample_file.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

enum InputField : std::size_t {
  kReadBytes,         // asked for
  kStorageBytes,      // fetched from storage meanwhile; not finite: the system does not tell
  kLoadingCpu,        // CPU time of reading
  kPreprocessingCpu,  // and of decoding
  kInputFieldCount,
};

// Of one rank, or added up over ranks.
using InputUse = std::array<double, kInputFieldCount>;

// Facts of the end: data_read_bytes, data_storage_share (of these, what storage gave; absent where
// that is not known), loading_cpu_s, preprocessing_cpu_s.
std::map<std::string, double> facts_of(const InputUse& use);

// An epoch's samples are shuffled and dealt to steps, of each step to the ranks, where each stage
// of a pipeline takes all; those that do not fill a step are left out until the next epoch. Which
// samples a step has depends on the seed, the file and the batches alone, not on when they are
// read.
class FileInput {
 public:
  // Decodes what is read of a record to place `i` of data_prefetch + 1 batches; may be asked to
  // again.
  using Decode = std::function<void(std::size_t i, std::span<const std::uint8_t> part)>;
  // Hands on the batch of a slot, once all of it is decoded.
  using HandOn = std::function<void(std::size_t slot)>;

  //   options  of for_rank(), of a rank that reads
  //   parts    memory for what is read of the records of a rank's batch
  //   decode, hand_on  called by the thread that reads
  // Collective: every rank calls this or SampleFile(), and throws as that.
  FileInput(const Options& options,
            const rank::World& world,
            std::span<std::uint8_t> parts,
            Decode decode,
            HandOn hand_on);
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;
  ~FileInput() = default;

  std::uint64_t bytes() const { return file_.bytes(); }  // of the file

  // ReadAhead's.
  void wait_for(std::size_t step) { ahead_.wait_for(step); }

  // Reads no more, and says what was done, that of batches read ahead too. Once.
  InputUse end();

 private:
  void fill(std::size_t step);
  // Sample i of what this rank takes of the step.
  std::uint64_t sample_of(std::size_t step, std::size_t i) const;

  std::uint64_t seed_;
  std::size_t first_;         // of this rank's share of a step
  std::size_t batch_;         // of this rank
  std::size_t batch_global_;  // of all
  std::size_t slots_;
  double decode_s_;         // CPU time of decoding a sample, at least
  std::size_t part_bytes_;  // that are read of a record
  std::span<std::uint8_t> parts_;
  Decode decode_;
  HandOn hand_on_;
  SampleFile file_;
  double storage_before_;
  InputUse use_{};
  ReadAhead ahead_;  // last: its thread uses the others
};

}  // namespace scalestudy::train
