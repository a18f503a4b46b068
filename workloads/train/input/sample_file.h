// A file of samples that ranks read, their own or the trial's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "workloads/rank/world.h"
#include "workloads/train/input/records.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The parts of its samples that a rank reads: all; in a pipeline the first stage inputs, the last
// labels, others nothing; nothing if ranks only sleep (compute declared).
// - options: of for_rank().
SampleParts parts_read(const Options& options);

// Open for reading as long as it lives; several threads may read.
class SampleFile {
 public:
  // Opens the file that options.data_file names. If that is a folder, or empty, the first rank of
  // each machine that reads writes a file: the synthetic samples 0, 1, ... (dataset.h), in that
  // folder or the one for temporary files. The file loses its name once every rank has it open and
  // before it is written, so that it vanishes with the last rank however that ends; it is on
  // storage when this returns. Meanwhile a line on stderr every 10 s tells the progress.
  // Collective: every rank calls, also one that reads nothing, which opens nothing and has no
  // samples.
  // - options: of for_rank().
  // - throws: WorkloadError (usage) for a file that cannot be opened, is no whole number of records
  //   or has fewer than a step takes; (failed) for one that cannot be written.
  SampleFile(const Options& options, const rank::World& world);
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  ~SampleFile() = default;

  std::uint64_t count() const { return count_; }  // samples
  std::uint64_t bytes() const { return count_ * record_bytes_; }

  // Reads this rank's part of record `sample`, which is below count(), and takes it out of the page
  // cache again if the options say so. Throws WorkloadError (failed) if it cannot be read or is no
  // longer there.
  // - part: as many bytes as record_part() has.
  void read(std::uint64_t sample, std::span<std::uint8_t> part) const;

 private:
  // Closes the file on destruction, also when the constructor throws.
  struct Descriptor {
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();

    int number = -1;
  };

  void open();
  // Finds out how many samples the file has, and checks that they make a batch.
  void measure(std::size_t batch);
  // Takes these bytes, with the rest of their pages, out of the page cache.
  void drop(std::uint64_t begin, std::uint64_t bytes) const;

  bool drops_cache_;
  std::size_t record_bytes_;
  std::size_t first_;  // first byte of a record that is read
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t count_ = 0;
};

}  // namespace scalestudy::train
