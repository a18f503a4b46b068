// Reads a rank's part of each step's samples from a file, decodes it, and counts what that costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "workloads/rank/world.h"
#include "workloads/train/input/read_ahead.h"
#include "workloads/train/input/sample_file.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

enum InputField : std::size_t {
  kReadBytes,         // bytes asked for
  kStorageBytes,      // bytes fetched from storage meanwhile; not finite: the system does not tell
  kLoadingCpu,        // CPU time of reading, s
  kPreprocessingCpu,  // CPU time of decoding, s
  kInputFieldCount,
};

// The costs of one rank, or added up over ranks; by InputField.
using InputUse = std::array<double, kInputFieldCount>;

// Facts of the end event: data_read_bytes, data_storage_share (the share of these bytes that came
// from storage; absent if that is not known), loading_cpu_s, preprocessing_cpu_s.
std::map<std::string, double> facts_of(const InputUse& use);

// An epoch's samples are shuffled and dealt to steps, and a step's samples to the ranks (each stage
// of a pipeline takes all of them). Samples that do not fill a step are left out until the next
// epoch. Which samples a step has depends only on the seed, the file and the batches, not on when
// they are read.
class FileInput {
 public:
  // Decodes the part read of a record to place `i` of data_prefetch + 1 batches; may be called
  // again for the same place.
  using Decode = std::function<void(std::size_t i, std::span<const std::uint8_t> part)>;
  // Hands on the batch of a slot, once all of it is decoded.
  using HandOn = std::function<void(std::size_t slot)>;

  // Collective: every rank calls this or SampleFile(), and it throws as that.
  // - options: of for_rank(), for a rank that reads.
  // - parts: memory for what is read of the records of a rank's batch.
  // - decode, hand_on: called by the thread that reads.
  FileInput(const Options& options,
            const rank::World& world,
            std::span<std::uint8_t> parts,
            Decode decode,
            HandOn hand_on);
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;
  ~FileInput() = default;

  std::uint64_t bytes() const { return file_.bytes(); }  // of the file

  // See ReadAhead::wait_for().
  void wait_for(std::size_t step) { ahead_.wait_for(step); }

  // Stops reading and returns the costs, those of batches read ahead too. Call it once.
  InputUse end();

 private:
  void fill(std::size_t step);
  // The number in the file of sample i of this rank's part of the step.
  std::uint64_t sample_of(std::size_t step, std::size_t i) const;

  std::uint64_t seed_;
  std::size_t first_;         // first sample of this rank's share of a step
  std::size_t batch_;         // samples of a step on this rank
  std::size_t batch_global_;  // samples of a step on all ranks
  std::size_t slots_;
  double decode_s_;         // least CPU time of decoding a sample
  std::size_t part_bytes_;  // bytes read of a record
  std::span<std::uint8_t> parts_;
  Decode decode_;
  HandOn hand_on_;
  SampleFile file_;
  double storage_before_;
  InputUse use_{};
  ReadAhead ahead_;  // last: its thread uses the others
};

}  // namespace scalestudy::train
