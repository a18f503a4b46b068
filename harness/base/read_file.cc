// A file as text.
#include "harness/base/read_file.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include <linux/magic.h>
#include <sys/vfs.h>

#include "harness/base/error.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

// Whether opening it to read waits for nobody. A pipe without a name is the shell's <(...) or
// standard input; one with a name would be waited for until somebody opens its other end.
bool can_be_read(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  struct statfs system {};
  return type == fs::file_type::regular || type == fs::file_type::character ||
         (type == fs::file_type::fifo && statfs(path.c_str(), &system) == 0 &&
          system.f_type == PIPEFS_MAGIC);
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file;
  if (can_be_read(path)) {
    file.open(path, std::ios::binary);
  }
  return file.is_open() ? std::optional(read_stream(file, path.string())) : std::nullopt;
}

std::string why_unread(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  std::error_code ignored;
  switch (type) {
    case fs::file_type::not_found:
      return path.is_relative() && fs::current_path(ignored).empty()
                 ? "the working folder no longer exists"
                 : "there is no such file";
    case fs::file_type::directory:
      return "it is a folder";
    case fs::file_type::fifo:
      return "it is a pipe";
    case fs::file_type::regular:
      return "you may not read it";
    default:
      return error ? error.message() : "it is a socket or a device";
  }
}

std::string read_given_file(const fs::path& path) {
  std::optional<std::string> text = read_file(path);
  if (!text) {
    throw Error(ErrorKind::kUsage, path.string() + ": cannot be read; " + why_unread(path));
  }
  return *std::move(text);
}

std::string read_system_file(const fs::path& path) {
  try {
    return read_file(path).value_or("");
  } catch (const Error&) {
    return "";
  }
}

std::string read_stream(std::istream& stream, const std::string& name) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20U;
  constexpr std::size_t chunk_bytes = std::size_t{64} << 10U;
  std::string text;
  while (stream && text.size() <= most_bytes) {
    const std::size_t length = text.size();
    text.resize(length + chunk_bytes);
    stream.read(text.data() + length, static_cast<std::streamsize>(chunk_bytes));
    text.resize(length + static_cast<std::size_t>(stream.gcount()));
  }
  require_read(stream, name);
  if (text.size() > most_bytes) {
    throw Error(ErrorKind::kUsage, name + ": longer than 64 MiB, which nothing of ours is");
  }
  return text;
}

void require_read(const std::istream& stream, const std::string& name) {
  // What reads standard input as C does knows no error of its own.
  if (stream.bad() || (&stream == &std::cin && std::ferror(stdin) != 0)) {
    throw Error(ErrorKind::kUsage,
                name +
                    ": cannot be read to its end; look at the disk, or at the network that it "
                    "is read over, and try again");
  }
}

}  // namespace scalestudy
