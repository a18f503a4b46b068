// Programs run as an ordinary user, also where the tests are root's: root may do everything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

namespace scalestudy::test {

// `argv` as nobody starts it where this is root; as it is for other users.
inline std::vector<std::string> as_ordinary_user(std::vector<std::string> argv) {
  if (geteuid() == 0) {
    argv.insert(argv.begin(), {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  }
  return argv;
}

// Gives a folder of a test to the user of as_ordinary_user().
inline void give_to_ordinary_user(const std::filesystem::path& folder) {
  if (geteuid() == 0 && chown(folder.c_str(), 65534, 65534) != 0) {
    throw std::filesystem::filesystem_error(
        "chown", folder, std::error_code(errno, std::generic_category()));
  }
}

}  // namespace scalestudy::test
