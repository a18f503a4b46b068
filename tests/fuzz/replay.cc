// Runs a fuzz target once over each file named, and those of each folder: seeds, and what was found
// once. Then, for 0.3 s or SCALESTUDY_FUZZ_SECONDS, over what chance makes of them: the same inputs
// in every run, as many as there is time for. libFuzzer brings a main of its own instead, and is
// guided by coverage.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/read_file.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(int argc, char** argv) {
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
  return inputs;
}

// One seed with a few places changed: bytes, parts left out, parts of another seed put in.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(text.size() + 1);
      const std::string& other = seeds_[below(seeds_.size())];
      switch (below(4)) {
        case 0:
          text.insert(at, 1, static_cast<char>(below(256)));
          break;
        case 1:
          text.erase(at, below(40));
          break;
        case 2:
          text.insert(at, other, below(other.size() + 1), below(40));
          break;
        default:
          text.replace(at, below(3), std::to_string(random_()));
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::vector<std::string> seeds_;
  std::mt19937 random_{20261123};
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> seeds;
  for (const fs::path& path : files_of(argc, argv)) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    seeds.push_back(scalestudy::read_file(path).value());
    scalestudy::test::fuzz(seeds.back());
  }
  if (seeds.empty()) {
    return 1;
  }
  const char* given = std::getenv("SCALESTUDY_FUZZ_SECONDS");
  const std::chrono::duration<double> most(given == nullptr ? 0.3 : std::strtod(given, nullptr));
  const auto begin = std::chrono::steady_clock::now();
  Mutator mutator(std::move(seeds));
  int count = 0;
  for (; std::chrono::steady_clock::now() - begin < most; ++count) {
    const std::string input = mutator.next();
    // Stays behind, as the folder does, when the target ends the process.
    const std::string path = scalestudy::test::write_scratch("input", input);
    if (count == 0) {
      std::printf("an input that breaks the target is left in %s\n", path.c_str());
      std::fflush(stdout);
    }
    scalestudy::test::fuzz(input);
  }
  std::printf("and %d inputs by chance\n", count);
  return 0;
}
