#include "workloads/train/input/file_input.h"

#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <utility>

#include "workloads/train/device/backend.h"
#include "workloads/train/input/shuffle.h"

namespace scalestudy::train {
namespace {

// Of the calling thread, s.
double thread_cpu_s() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// That storage has given this process so far; NaN where the system does not tell.
// source: proc(5), /proc/pid/io.
double storage_bytes() {
  std::ifstream file("/proc/self/io");
  std::string key;
  for (double value = 0.0; file >> key >> value;) {
    if (key == "read_bytes:") {
      return value;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<int> cores_of(const Options& options, const rank::World& world) {
  return options.data_file->prefetch > 0 ? spare_cores(options, world) : std::vector<int>();
}

}  // namespace

std::map<std::string, double> facts_of(const InputUse& use) {
  std::map<std::string, double> facts = {{"data_read_bytes", use[kReadBytes]},
                                         {"loading_cpu_s", use[kLoadingCpu]},
                                         {"preprocessing_cpu_s", use[kPreprocessingCpu]}};
  if (std::isfinite(use[kStorageBytes]) && use[kReadBytes] > 0.0) {
    facts["data_storage_share"] = use[kStorageBytes] / use[kReadBytes];
  }
  return facts;
}

FileInput::FileInput(const Options& options,
                     const rank::World& world,
                     std::span<std::uint8_t> parts,
                     Decode decode,
                     HandOn hand_on)
    : seed_(options.seed),
      first_(first_of_share(options, static_cast<std::size_t>(world.rank()))),
      batch_(options.batch_per_device),
      batch_global_(options.batch_global),
      slots_(options.data_file->prefetch + 1),
      decode_s_(parts_read(options).has_input ? options.data_file->decode_s : 0.0),
      part_bytes_(parts.size() / batch_),
      parts_(parts),
      decode_(std::move(decode)),
      hand_on_(std::move(hand_on)),
      file_(options, world),
      storage_before_(storage_bytes()),
      ahead_(
          options.data_file->prefetch,
          cores_of(options, world),
          [this](std::size_t step) { fill(step); },
          options.first_step) {}

InputUse FileInput::end() {
  ahead_.stop();
  use_[kStorageBytes] = storage_bytes() - storage_before_;
  return use_;
}

void FileInput::fill(std::size_t step) {
  const auto part = [&](std::size_t i) { return parts_.subspan(i * part_bytes_, part_bytes_); };
  const double begin_s = thread_cpu_s();
  for (std::size_t i = 0; i < batch_; ++i) {
    file_.read(sample_of(step, i), part(i));
  }
  const double read_s = thread_cpu_s();
  const std::size_t first = step % slots_ * batch_;
  for (std::size_t i = 0; i < batch_; ++i) {
    decode_(first + i, part(i));
  }
  const double until_s = read_s + decode_s_ * static_cast<double>(batch_);
  double end_s = thread_cpu_s();
  for (std::size_t i = 0; end_s < until_s; i = (i + 1) % batch_) {
    decode_(first + i, part(i));
    end_s = thread_cpu_s();
  }
  use_[kReadBytes] += static_cast<double>(parts_.size());
  use_[kLoadingCpu] += read_s - begin_s;
  use_[kPreprocessingCpu] += end_s - read_s;
  hand_on_(step % slots_);
}

std::uint64_t FileInput::sample_of(std::size_t step, std::size_t i) const {
  const std::size_t steps = file_.count() / batch_global_;  // of an epoch
  const std::size_t position = step % steps * batch_global_ + first_ + i;
  return shuffled(position, file_.count(), seed_, step / steps);
}

}  // namespace scalestudy::train
