#include "workloads/train/saves/checkpoint_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/train/step/parameter_hash.h"

namespace scalestudy::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";

// Closed when it goes.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  int get() const { return number_; }
  // 0 where the system does not say.
  std::uint64_t size() const {
    struct stat found {};
    return ::fstat(number_, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
  }

 private:
  int number_;
};

[[noreturn]] void fail(const fs::path& path) {
  const std::string words = std::generic_category().message(errno);
  throw rank::WorkloadError(protocol::kExitFailed,
                            path.string() + ": a checkpoint cannot be written (" + words +
                                "); what was saved before it is whole; give a folder with room "
                                "as save_dir");
}

[[noreturn]] void refuse_broken(const fs::path& path, const std::string& why) {
  throw rank::WorkloadError(protocol::kExitUsage,
                            path.string() + ": the checkpoint is not whole: " + why +
                                "; remove it, or give another save_dir");
}

}  // namespace

// A file system without locks (flock(2): neither taken nor refused) protects nothing, and hinders
// nobody.
FolderLock::FolderLock(const fs::path& folder)
    : descriptor_(::open((folder / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  constexpr int most_tries = 100;
  if (descriptor_ < 0) {
    fail(folder / kLock);
  }
  for (int tries = 1; ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK) {
      return;
    }
    if (tries == most_tries) {
      ::close(descriptor_);
      throw rank::WorkloadError(protocol::kExitUsage,
                                folder.string() +
                                    ": another run keeps checkpoints there; wait for its end, or "
                                    "give another save_dir");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

FileSum sum_of(const Blocks& blocks, FileSum before) {
  FileSum sum = before;
  for (const std::span<std::byte> block : blocks) {
    sum.bytes += block.size();
    sum.hash = add_to_hash(sum.hash, block);
  }
  return sum;
}

void write_blocks(const fs::path& path, const Blocks& blocks, std::uint64_t kept) {
  const Descriptor file(path, O_WRONLY | O_CREAT | (kept == 0 ? O_TRUNC : 0));
  if (file.get() < 0 || ::lseek(file.get(), static_cast<off_t>(kept), SEEK_SET) < 0) {
    fail(path);
  }
  for (std::span<const std::byte> rest : blocks) {
    while (!rest.empty()) {
      const ssize_t written = ::write(file.get(), rest.data(), rest.size());
      if (written < 0 && errno != EINTR) {
        fail(path);
      }
      rest = rest.subspan(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
  }
  if (::fsync(file.get()) != 0) {
    fail(path);
  }
}

void sync_folder(const fs::path& path) {
  const Descriptor folder(path, O_RDONLY | O_DIRECTORY);
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) {
    fail(path);
  }
}

void read_blocks(const fs::path& path, const Blocks& blocks, const FileSum& sum, bool is_begin) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) {
    refuse_broken(path, std::generic_category().message(errno));
  }
  if (is_begin ? file.size() < sum.bytes : file.size() != sum.bytes) {
    refuse_broken(path,
                  "the file has " + std::to_string(file.size()) + " bytes, its manifest says " +
                      std::to_string(sum.bytes));
  }
  std::uint64_t wanted = 0;
  for (const std::span<std::byte> block : blocks) {
    wanted += block.size();
  }
  if (wanted != sum.bytes) {
    refuse_broken(path,
                  "it holds " + std::to_string(sum.bytes) + " bytes of state, this run has " +
                      std::to_string(wanted));
  }
  for (std::span<std::byte> rest : blocks) {
    while (!rest.empty()) {
      const ssize_t got = ::read(file.get(), rest.data(), rest.size());
      if (got == 0 || (got < 0 && errno != EINTR)) {
        refuse_broken(path,
                      got == 0 ? "it became shorter" : std::generic_category().message(errno));
      }
      rest = rest.subspan(got < 0 ? 0 : static_cast<std::size_t>(got));
    }
  }
  if (sum_of(blocks) != sum) {
    refuse_broken(path, "its content is not what was written");
  }
}

Pages pages_of(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  const std::uint64_t bytes = file.get() < 0 ? 0 : file.size();
  if (bytes == 0) {
    return {};
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) {
    return {};
  }
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((bytes + page - 1) / page);
  Pages pages;
  if (::mincore(mapped, bytes, resident.data()) == 0) {
    pages.all = resident.size();
    pages.cached = static_cast<std::uint64_t>(std::count_if(
        resident.begin(), resident.end(), [](unsigned char one) { return (one & 1U) != 0; }));
  }
  ::munmap(mapped, bytes);
  return pages;
}

void drop_pages(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace scalestudy::train
