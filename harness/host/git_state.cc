#include "harness/host/git_state.h"

#include <array>
#include <cstdio>
#include <memory>

namespace scalestudy {

std::string git_state(const std::filesystem::path& folder) {
  std::string quoted = "'";
  for (const char c : folder.string()) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  const std::string command =
      "git -C " + quoted + "' describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null";
  // NOLINTNEXTLINE(cert-env33-c): the folder is quoted
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"),
                                                               &pclose);
  std::array<char, 256> line{};
  if (output == nullptr || std::fgets(line.data(), line.size(), output.get()) == nullptr) {
    return "";
  }
  const std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

}  // namespace scalestudy
