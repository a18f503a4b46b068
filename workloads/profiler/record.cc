#include "workloads/profiler/record.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include <fcntl.h>
#include <unistd.h>

namespace scalestudy::profiler {
namespace {

constexpr const char* kVariable = "SCALESTUDY_NCCL_PROFILE";
constexpr const char* kHeader = "scalestudy-nccl-profile 1";
constexpr std::size_t kMostLines = 4096;  // a program that calls with other sizes all the time
constexpr std::size_t kLongestWord = 32;

struct Written {
  std::mutex mutex;
  std::set<std::string> lines;
};

Written& written() {
  // Never destroyed: NCCL's threads may outlive static objects.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables,cppcoreguidelines-owning-memory)
  static Written& all = *new Written;
  return all;
}

std::string file_of_process(const char* prefix) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) {
    host[0] = '\0';
  }
  return prefix + std::string(host.data()) + "." + std::to_string(getpid());
}

// Whole or, on a full disk, in part: a line that is cut off says nothing to its reader. False where
// nothing was written.
bool append(const std::string& path, const std::string& text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    return false;
  }
  const ssize_t count = write(file, text.data(), text.size());
  close(file);
  return count > 0;
}

}  // namespace

bool is_wanted() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the environment is the program's
  const char* prefix = std::getenv(kVariable);
  return prefix != nullptr && *prefix != '\0';
}

void write_once(const std::string& line) noexcept {
  try {
    Written& all = written();
    const std::lock_guard lock(all.mutex);
    if (all.lines.size() >= kMostLines || all.lines.contains(line) || !is_wanted()) {
      return;
    }
    const std::string header = all.lines.empty() ? std::string(kHeader) + "\n" : "";
    // NOLINTNEXTLINE(concurrency-mt-unsafe): likewise
    if (append(file_of_process(std::getenv(kVariable)), header + line + "\n")) {
      all.lines.insert(line);
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory, says the header
  }
}

std::string word_of(const char* name) {
  if (name == nullptr || *name == '\0' || std::strcmp(name, "Unknown") == 0) {
    return "-";
  }
  std::string word(name, strnlen(name, kLongestWord));
  for (char& c : word) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    c = is_plain ? c : '?';
  }
  return word;
}

}  // namespace scalestudy::profiler
