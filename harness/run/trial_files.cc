#include "harness/run/trial_files.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/study/secret.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff kTailBytes = 64 << 10;
constexpr std::int64_t kHalfBytes = std::int64_t{16} << 20;  // that stay of a long log, at each end
constexpr std::int64_t kGapBytes = 100;                      // at most, of the line between them

// Moves what is behind `from` to `to`, before it, and cuts the file after it. In place: the disk
// may be full of this very file.
bool move_end(int descriptor, std::int64_t from, std::int64_t to) {
  std::vector<char> chunk(std::size_t{1} << 20U);
  for (;;) {
    const ssize_t got = pread(descriptor, chunk.data(), chunk.size(), from);
    if (got < 0) {
      return false;
    }
    if (got == 0) {
      return ftruncate(descriptor, to) == 0;
    }
    if (pwrite(descriptor, chunk.data(), static_cast<std::size_t>(got), to) != got) {
      return false;
    }
    from += got;
    to += got;
  }
}

// The first and last kHalfBytes of `from` and `gap` between them, as a file of its own at `path`.
bool copy_ends(int from, std::int64_t size, const std::string& gap, const fs::path& path) {
  std::string head(static_cast<std::size_t>(kHalfBytes), '\0');
  std::string tail = head;
  if (pread(from, head.data(), head.size(), 0) != kHalfBytes ||
      pread(from, tail.data(), tail.size(), size - kHalfBytes) != kHalfBytes) {
    return false;
  }
  close(create_log(path));
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << head << gap << tail << std::flush;
  return file.good();
}

}  // namespace

TrialFiles::TrialFiles(const fs::path& results_folder,
                       const std::string& study,
                       const std::string& cell_hash,
                       const TrialRow& trial)
    : results(fs::absolute(results_folder)),
      folder(fs::path("logs") / study /
             fmt::format("{}-b{}-a{}", cell_hash, trial.block, trial.attempt)) {}

std::ifstream open_log(const fs::path& path) {
  std::ifstream file;
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(path, ignored))) {
    file.open(path, std::ios::binary);
  }
  return file;
}

std::string read_tail(const fs::path& path) {
  std::ifstream file = open_log(path);
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  if (!file.is_open() || !file || size <= 0) {
    return "";
  }
  file.seekg(std::max<std::streamoff>(0, size - kTailBytes));
  return {std::istreambuf_iterator<char>(file), {}};
}

int create_log(const fs::path& path) {
  unlink(path.c_str());
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void rewrite_log(const fs::path& path, const std::function<std::string(std::string)>& change) {
  std::ifstream file = open_log(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string changed = change(text);
  if (file.is_open() && changed != text) {
    close(create_log(path));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
  }
}

void keep_log(const fs::path& path, const std::vector<std::string>& secrets) {
  cap_log(path);
  if (!secrets.empty()) {
    rewrite_log(path, [&](std::string text) { return masked(std::move(text), secrets); });
  }
}

std::int64_t cap_log(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    return 0;
  }
  struct stat status {};
  std::int64_t left_out = 0;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 2 * kHalfBytes + kGapBytes) {
    left_out = status.st_size - 2 * kHalfBytes;
    const std::string gap = fmt::format("\n[scalestudy left out {} bytes here]\n", left_out);
    const auto length = static_cast<std::int64_t>(gap.size());
    const bool is_cut =
        status.st_nlink > 1  // another file's second name: that one stays as it is
            ? copy_ends(descriptor, status.st_size, gap, path)
            : pwrite(descriptor, gap.data(), gap.size(), kHalfBytes) == length &&
                  move_end(descriptor, status.st_size - kHalfBytes, kHalfBytes + length);
    left_out = is_cut ? left_out : 0;
  }
  close(descriptor);
  return left_out;
}

}  // namespace scalestudy
