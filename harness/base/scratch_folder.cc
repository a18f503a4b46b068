#include "harness/base/scratch_folder.h"

#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"

namespace scalestudy {

ScratchFolder::ScratchFolder(const std::string& verb) {
  std::error_code error;
  path_ =
      std::filesystem::temp_directory_path(error) / fmt::format("scalestudy-{}-{}", verb, getpid());
  if (error || !create_private_folder(path_, error)) {
    throw Error(ErrorKind::kMachine,
                fmt::format("$TMPDIR, or /tmp: {}; {} writes there", error.message(), verb));
  }
}

ScratchFolder::~ScratchFolder() {
  remove_tree(path_);
}

}  // namespace scalestudy
