// A folder of one test, removed afterwards.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/program.h"

namespace scalestudy::test {

class ScratchFolder : public test::TemporaryFolder {
 public:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path() / name).parent_path());
    test::write_file(path() / name, text);
  }
};

}  // namespace scalestudy::test
