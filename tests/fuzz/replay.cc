// Runs a fuzz target once over each file named, and those of each folder: seeds, and what was found
// once. libFuzzer brings a main of its own instead.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "harness/base/read_file.h"
#include "tests/fuzz/fuzz.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> inputs;
  for (int i = 1; i < argc; ++i) {
    if (fs::is_directory(argv[i])) {
      for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.is_regular_file()) {
          inputs.push_back(entry.path());
        }
      }
    } else {
      inputs.emplace_back(argv[i]);
    }
  }
  std::sort(inputs.begin(), inputs.end());
  for (const fs::path& path : inputs) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    scalestudy::test::fuzz(scalestudy::read_file(path).value());
  }
  return inputs.empty() ? 1 : 0;
}
