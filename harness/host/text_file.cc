#include "harness/host/text_file.h"

#include <fstream>
#include <iterator>

namespace scalestudy {

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace scalestudy
