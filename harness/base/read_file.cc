// A file as text.
#include "harness/base/read_file.h"

#include <fstream>
#include <iterator>

namespace scalestudy {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  // A folder opens like a file and reads as an empty one.
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace scalestudy
