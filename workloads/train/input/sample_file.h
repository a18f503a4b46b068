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

// What a rank reads of its samples: all, and of a pipeline the first stage inputs, the last labels,
// and others nothing; nothing where it only sleeps (compute declared).
//   options  of for_rank()
SampleParts parts_read(const Options& options);

// Open for reading as long as it lives; several threads may read.
class SampleFile {
 public:
  // Opens the file that options.data_file names. Where that is a folder, or nothing, the first rank
  // of each machine that reads writes one: the synthetic samples 0, 1, ... (dataset.h), in that
  // folder or the one for temporary files. It loses its name once every rank has it open and before
  // it is written, so that it goes with the last rank however that ends; it is on storage when this
  // returns. Meanwhile a line on stderr every 10 s says how far it is. Collective: every rank
  // calls, also one that reads nothing, which opens nothing and has no samples.
  // Throws WorkloadError: (usage) a file that cannot be opened, that is no whole number of records
  // or fewer than a step takes; (failed) one that cannot be written.
  //   options  of for_rank()
  SampleFile(const Options& options, const rank::World& world);
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  ~SampleFile() = default;

  std::uint64_t count() const { return count_; }  // samples
  std::uint64_t bytes() const { return count_ * record_bytes_; }

  // Reads what this rank reads of record `sample`, which is below count(), and where the options
  // say so takes it out of the page cache again. Throws WorkloadError (failed) where it cannot be
  // read or is there no more.
  //   part  as many bytes as record_part() has
  void read(std::uint64_t sample, std::span<std::uint8_t> part) const;

 private:
  // Closed when it goes, also where the constructor throws.
  struct Descriptor {
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();

    int number = -1;
  };

  void open();
  // Looks how many samples it has, and whether they make a batch.
  void measure(std::size_t batch);
  // Takes so many bytes, with what else is on their pages, out of the page cache.
  void drop(std::uint64_t begin, std::uint64_t bytes) const;

  bool drops_cache_;
  std::size_t record_bytes_;
  std::size_t first_;  // byte of a record that is read
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t count_ = 0;
};

}  // namespace scalestudy::train
