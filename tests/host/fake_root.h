// A folder that stands for "/".
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/program.h"

namespace scalestudy::test {

// Holds the files that a test puts there.
class FakeRoot : public TemporaryFolder {
 public:
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path() / name).parent_path());
    write_file(path() / name, text);
  }

  void put_siblings(int cpu, const std::string& list) const {
    put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
        list);
  }
};

}  // namespace scalestudy::test
