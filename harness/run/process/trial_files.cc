#include "harness/run/process/trial_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness/base/hash.h"
#include "harness/study/parameters/secret.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTailBytes = 64 << 10;
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

// A part of a file, from its first byte to the one after its last.
struct Part {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// From the first to the last byte of the secrets that lie across `at`; [at, at) if none does.
Part secret_across(int descriptor, std::int64_t at, const std::vector<std::string>& secrets) {
  Part part{.begin = at, .end = at};
  for (const std::string& secret : secrets) {
    if (secret.size() < 2 || std::ssize(secret) > kHalfBytes) {
      continue;
    }
    // Each occurrence in this text lies across `at`: on either side it is one byte too short.
    const std::int64_t from = at - std::ssize(secret) + 1;
    std::string text(2 * (secret.size() - 1), '\0');
    const ssize_t got = pread(descriptor, text.data(), text.size(), from);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (const std::size_t first = text.find(secret); first != std::string::npos) {
      const std::size_t behind_last = text.rfind(secret) + secret.size();
      part.begin = std::min(part.begin, from + static_cast<std::int64_t>(first));
      part.end = std::max(part.end, from + static_cast<std::int64_t>(behind_last));
    }
  }
  return part;
}

// What is around `left_out` in `from`, with `gap` in its place, as a file of its own at `path`.
// - size: of the file.
bool copy_ends(int from,
               std::int64_t size,
               const Part& left_out,
               const std::string& gap,
               const fs::path& path) {
  std::string head(static_cast<std::size_t>(left_out.begin), '\0');
  std::string tail(static_cast<std::size_t>(size - left_out.end), '\0');
  return pread(from, head.data(), head.size(), 0) == std::ssize(head) &&
         pread(from, tail.data(), tail.size(), left_out.end) == std::ssize(tail) &&
         replace_log(path, head + gap + tail);
}

// From `at` to the end; absent when the disk does not give it.
std::optional<std::string> read_from(int descriptor, std::int64_t at) {
  std::string text;
  std::vector<char> chunk(std::size_t{1} << 16U);
  for (ssize_t got = 0; (got = pread(descriptor, chunk.data(), chunk.size(), at)) != 0; at += got) {
    if (got < 0) {
      return std::nullopt;
    }
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// Writes all of it; false with errno set when there is no room.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A regular file alone: a pipe would be waited for, a link leads to somebody's data. -1 for none.
int open_regular(const fs::path& path, int access, struct stat& status) {
  const int descriptor = open(path.c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor >= 0 && (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

// What a log holds without the secrets takes its place. Returns what was lost; "" for nothing.
std::string mask_log(const fs::path& path, const std::vector<std::string>& secrets) {
  struct stat status {};
  const int descriptor = open_regular(path, O_RDWR, status);
  if (descriptor < 0) {
    return "";
  }
  // One that could not be cut is another file's second name, and may have any size.
  const bool is_cut = status.st_size <= 2 * kHalfBytes + kGapBytes;
  const std::optional<std::string> text = is_cut ? read_from(descriptor, 0) : std::nullopt;
  const std::string kept = text ? masked(*text, secrets) : "";
  std::string loss;
  if (!text) {
    unlink(path.c_str());
    loss = fmt::format("{} bytes of {} {}: they could not be read, and may hold a secret",
                       std::int64_t{status.st_size},
                       path.filename().string(),
                       kLeftOut);
  } else if (kept != *text && !replace_log(path, kept)) {
    // No room beside it: the old text has blocks of its own.
    const std::string_view fits = std::string_view(kept).substr(0, text->size());
    const bool is_ours = status.st_nlink == 1 && write_all(descriptor, fits) &&
                         ftruncate(descriptor, static_cast<off_t>(fits.size())) == 0;
    if (!is_ours) {
      unlink(path.c_str());
    }
    if (const std::size_t lost = kept.size() - (is_ours ? fits.size() : 0); lost > 0) {
      loss = fmt::format("the last {} bytes of {} {}: the disk had no room for them",
                         lost,
                         path.filename().string(),
                         kLeftOut);
    }
  }
  close(descriptor);
  return loss;
}

}  // namespace

TrialFiles::TrialFiles(const fs::path& results_folder,
                       const std::string& study,
                       const std::string& cell_hash,
                       const TrialRow& trial,
                       bool names_plan)
    : results(fs::absolute(results_folder)),
      folder(fs::path("logs") / study /
             (trial.source_hash
                  ? fmt::format("{}-{}-a{}", cell_hash, *trial.source_hash, trial.attempt)
                  : fmt::format("{}-b{}-a{}{}",
                                cell_hash,
                                trial.block,
                                trial.attempt,
                                names_plan ? "-" + text_hash(trial.plan).substr(0, 8) : ""))) {}

std::ifstream open_log(const fs::path& path) {
  std::ifstream file;
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(path, ignored))) {
    file.open(path, std::ios::binary);
  }
  return file;
}

std::string read_tail(const fs::path& path) {
  struct stat status {};
  const int descriptor = open_regular(path, O_RDONLY, status);
  if (descriptor < 0) {
    return "";
  }
  const std::int64_t from = std::max<std::int64_t>(0, status.st_size - kTailBytes);
  std::string text = read_from(descriptor, from).value_or("");
  close(descriptor);
  // Half of a secret would not be known as one, so the tail begins with a whole line.
  if (const std::size_t line = text.find_first_of("\r\n") + 1; from > 0 && line < text.size()) {
    text.erase(0, line);
  }
  return text;
}

int create_log(const fs::path& path) {
  unlink(path.c_str());
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

bool replace_log(const fs::path& path, std::string_view text) {
  const std::string unfinished = path.string() + ".new";
  const int descriptor = create_log(unfinished);
  if (descriptor < 0) {
    return false;
  }
  const bool is_whole =
      write_all(descriptor, text) && rename(unfinished.c_str(), path.c_str()) == 0;
  const int error = errno;
  close(descriptor);
  if (!is_whole) {
    unlink(unfinished.c_str());
  }
  errno = error;
  return is_whole;
}

std::string keep_log(const fs::path& path, const std::vector<std::string>& secrets) {
  const std::int64_t left_out = cap_log(path, secrets);
  std::string loss;
  if (left_out > 0) {
    loss = fmt::format(
        "{} bytes in the middle of {} {}", left_out, path.filename().string(), kLeftOut);
  }
  if (secrets.empty()) {
    return loss;
  }
  const std::string masking = mask_log(path, secrets);
  return masking.empty() ? loss : masking;
}

bool is_disk_full(const fs::path& folder) {
  constexpr std::uint64_t least_bytes = 64 << 10;
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0 || disk.f_frsize == 0) {
    return false;
  }
  // Root may fill what file systems reserve, though not from within every container.
  const std::uint64_t blocks = geteuid() == 0 ? disk.f_bfree : disk.f_bavail;
  return blocks < least_bytes / disk.f_frsize;
}

std::int64_t cap_log(const fs::path& path, const std::vector<std::string>& secrets) {
  struct stat status {};
  const int descriptor = open_regular(path, O_RDWR, status);
  if (descriptor < 0) {
    return 0;
  }
  std::int64_t left_out = 0;
  if (status.st_size > 2 * kHalfBytes + kGapBytes) {
    const Part middle{.begin = secret_across(descriptor, kHalfBytes, secrets).begin,
                      .end = secret_across(descriptor, status.st_size - kHalfBytes, secrets).end};
    left_out = middle.end - middle.begin;
    const std::string gap = fmt::format("\n[scalestudy left out {} bytes here]\n", left_out);
    const auto length = static_cast<std::int64_t>(gap.size());
    const bool is_cut = status.st_nlink > 1  // another file's second name: that one stays as it is
                            ? copy_ends(descriptor, status.st_size, middle, gap, path)
                            : pwrite(descriptor, gap.data(), gap.size(), middle.begin) == length &&
                                  move_end(descriptor, middle.end, middle.begin + length);
    left_out = is_cut ? left_out : 0;
  }
  close(descriptor);
  return left_out;
}

}  // namespace scalestudy
