#include "harness/base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"

namespace scalestudy {

ScratchFolder::ScratchFolder(const std::string& verb) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  // A new name: another user could have made a known one before.
  std::string path = (parent / fmt::format("scalestudy-{}-XXXXXX", verb)).string();
  if (!error && mkdtemp(path.data()) == nullptr) {
    error = std::error_code(errno, std::generic_category());
  }
  if (error) {
    throw Error(ErrorKind::kMachine,
                fmt::format("$TMPDIR, or /tmp: {}; {} writes there", error.message(), verb));
  }
  path_ = path;
}

ScratchFolder::~ScratchFolder() {
  remove_tree(path_);
}

}  // namespace scalestudy
