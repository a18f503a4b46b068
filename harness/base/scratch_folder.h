// A temporary folder.
#pragma once

#include <filesystem>
#include <string>

namespace scalestudy {

// A folder in $TMPDIR, or /tmp, for this user alone; removed with the object. Throws
// Error{kMachine}, which names `verb` as the one that writes there, if it cannot be made.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& verb);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  std::filesystem::path file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace scalestudy
