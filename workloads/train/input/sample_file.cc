#include "workloads/train/input/sample_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/error.h"

namespace scalestudy::train {
namespace {

namespace fs = std::filesystem;

std::string last_error() {
  return std::generic_category().message(errno);
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  flags::refuse("data_path is " + path.string() + ": " + why);
}

// The folder or file that was asked for.
fs::path given_path(const FileOptions& options) {
  if (!options.path.empty()) {
    return options.path;
  }
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) {
    flags::refuse("TMPDIR names no folder for temporary files; set it, or give data_path");
  }
  return folder;
}

// Of a file that no other run has, the same on every rank of a machine. Collective.
std::string own_name(const rank::World& world) {
  std::uint32_t token = std::random_device()();
  world.send_from_root(std::as_writable_bytes(std::span(&token, 1)));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "-%08x.samples", token);
  return "scalestudy-" + world.host() + text.data();
}

// Returns whether all of `bytes` could be written.
bool write_all(int descriptor, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes = bytes.subspan(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return true;
}

// Whoever waits for the record to begin is told now and then that this is not silence.
class Progress {
 public:
  Progress(const fs::path& path, std::uint64_t bytes) : path_(path.string()), bytes_(bytes) {}

  void tell(std::uint64_t written) {
    constexpr double every_s = 10.0;
    if (const double now_s = rank::now_s(); now_s - last_s_ >= every_s) {
      last_s_ = now_s;
      std::fprintf(stderr,
                   "scalestudy: writing samples to %s: %.1f %% of %" PRIu64 " bytes\n",
                   path_.c_str(),
                   100.0 * static_cast<double>(written) / static_cast<double>(bytes_),
                   bytes_);
    }
  }

 private:
  std::string path_;
  std::uint64_t bytes_;
  double last_s_ = rank::now_s();
};

// Writes and syncs them: what is still to be written to storage would disturb the steps. Returns
// whether it could, else errno says why.
bool write_samples(const Options& options, const fs::path& path, int descriptor) {
  constexpr std::size_t samples_a_write = 256;
  constexpr std::uint64_t bytes_a_sync = std::uint64_t{64} << 20U;  // a pause of seconds at most
  const model::SampleShape shape = model::sample_shape(options.model);
  const std::size_t record = record_bytes(shape);
  std::vector<std::uint8_t> block(samples_a_write * record);
  const std::size_t count = options.data_file->samples;
  Progress progress(path, static_cast<std::uint64_t>(count) * record);
  std::uint64_t written = 0;
  std::uint64_t synced = 0;
  for (std::size_t first = 0; first < count; first += samples_a_write) {
    const std::size_t some = std::min(samples_a_write, count - first);
    for (std::size_t i = 0; i < some; ++i) {
      encode_sample(shape,
                    options.seed,
                    static_cast<std::uint32_t>(first + i),
                    std::span(block).subspan(i * record, record));
    }
    if (!write_all(descriptor, std::span(block).first(some * record))) {
      return false;
    }
    written += some * record;
    if (written - synced >= bytes_a_sync) {
      if (::fdatasync(descriptor) != 0) {
        return false;
      }
      synced = written;
    }
    progress.tell(written);
  }
  return ::fsync(descriptor) == 0;
}

[[noreturn]] void fail_writing(const Options& options, const fs::path& path) {
  const std::string error = last_error();
  const std::uint64_t bytes =
      options.data_file->samples * record_bytes(model::sample_shape(options.model));
  throw rank::WorkloadError(protocol::kExitFailed,
                            path.string() + ": a file of samples cannot be written (" + error +
                                "); give a folder with room for " + std::to_string(bytes) +
                                " bytes as data_path");
}

}  // namespace

SampleParts parts_read(const Options& options) {
  const Pipeline& pipeline = options.pipeline;
  if (options.declared) {
    return {};
  }
  return {.has_input = pipeline.stage == 0,
          .has_labels = !pipeline.is_on() || pipeline.stage + 1 == pipeline.stages};
}

SampleFile::SampleFile(const Options& options, const rank::World& world)
    : drops_cache_(options.data_file->drops_cache),
      record_bytes_(record_bytes(model::sample_shape(options.model))),
      first_(record_part(model::sample_shape(options.model), parts_read(options)).first),
      path_(given_path(*options.data_file)) {
  const bool is_reader = parts_read(options).are_any();
  const std::string name = own_name(world);
  const bool is_first = world.is_first_of_machine(is_reader);
  std::error_code ignored;
  const bool is_own = fs::is_directory(path_, ignored);
  const bool is_writer = is_own && is_first;
  if (is_own) {
    path_ /= name;
  }
  Descriptor writer;
  if (is_writer) {
    writer.number = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (writer.number < 0) {
      fail_writing(options, path_);
    }
  }
  world.barrier();
  if (is_reader) {
    open();
  }
  world.barrier();
  if (is_writer) {
    fs::remove(path_, ignored);
    if (!write_samples(options, path_, writer.number)) {
      fail_writing(options, path_);
    }
  }
  world.barrier();
  if (is_reader) {
    measure(options.batch_global);
  }
}

SampleFile::Descriptor::~Descriptor() {
  if (number >= 0) {
    ::close(number);
  }
}

void SampleFile::measure(std::size_t batch) {
  struct stat found {};
  if (::fstat(file_.number, &found) != 0) {
    refuse(path_, last_error());
  }
  const auto bytes = static_cast<std::uint64_t>(found.st_size);
  if (bytes % record_bytes_ != 0) {
    refuse(path_,
           "its " + std::to_string(bytes) + " bytes are no whole number of samples of " +
               std::to_string(record_bytes_) + " bytes; give a file made for this model");
  }
  count_ = bytes / record_bytes_;
  if (count_ < batch) {
    refuse(path_,
           "it has " + std::to_string(count_) + " sample(s), a step takes " +
               std::to_string(batch) + "; give a longer one or a smaller batch");
  }
  if (drops_cache_) {
    drop(0, bytes);
  }
}

void SampleFile::open() {
  // What is no file is refused instead of waited for (a pipe without a writer).
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    refuse(path_, "it is neither a file nor a folder");
  }
  file_.number = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_.number < 0) {
    refuse(path_,
           last_error() + "; give a file of samples, or a folder in which a trial writes its own");
  }
  // Samples are read in random order: what lies behind one is not needed next.
  ::posix_fadvise(file_.number, 0, 0, POSIX_FADV_RANDOM);
}

void SampleFile::read(std::uint64_t sample, std::span<std::uint8_t> part) const {
  const std::uint64_t begin = sample * record_bytes_ + first_;
  for (std::size_t done = 0; done < part.size();) {
    const std::span<std::uint8_t> rest = part.subspan(done);
    const ssize_t got =
        ::pread(file_.number, rest.data(), rest.size(), static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      throw rank::WorkloadError(protocol::kExitFailed,
                                "data_path is " + path_.string() + ": sample " +
                                    std::to_string(sample) + " of " + std::to_string(count_) +
                                    (got == 0 ? " is there no more: the file became shorter"
                                              : " cannot be read: " + last_error()));
    }
    done += static_cast<std::size_t>(got);
  }
  if (drops_cache_) {
    drop(begin, part.size());
  }
}

void SampleFile::drop(std::uint64_t begin, std::uint64_t bytes) const {
  // The kernel drops whole pages within the range alone.
  static const auto kPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = begin / kPage * kPage;
  const std::uint64_t last = (begin + bytes + kPage - 1) / kPage * kPage;
  ::posix_fadvise(file_.number,
                  static_cast<off_t>(first),
                  static_cast<off_t>(last - first),
                  POSIX_FADV_DONTNEED);
}

}  // namespace scalestudy::train
