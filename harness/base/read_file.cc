// A file as text.
#include "harness/base/read_file.h"

#include <fstream>

#include "harness/base/error.h"

namespace scalestudy {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  // A folder opens like a file and reads as an empty one.
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return std::nullopt;
  }
  return read_stream(file, path.string());
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
  if (text.size() > most_bytes) {
    throw Error(ErrorKind::kUsage, name + ": longer than 64 MiB, which nothing of ours is");
  }
  return text;
}

}  // namespace scalestudy
