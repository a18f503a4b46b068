// What the fuzz targets share. A target is one file NAME_fuzz.cc with a fuzz() that must return for
// any input: Error is an answer, everything else that is thrown ends the run.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "harness/base/error.h"

namespace scalestudy::test {

// One input of any bytes; broken promises of the code under test call require().
void fuzz(const std::string& input);

// Ends the run, as a crash would, with what was promised.
inline void require(bool holds, const char* promise) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
  }
}

// What `call` answers, or nothing where it throws Error.
template <typename Call>
bool answers(Call&& call) {
  try {
    call();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The folder of this process, in memory where there is such a place; it stays behind when a target
// ends the process, as everything else does.
inline const std::filesystem::path& scratch() {
  static const std::filesystem::path kFolder = [] {
    const std::filesystem::path memory = "/dev/shm";
    const auto root =
        std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
    auto folder = root / ("scalestudy-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::atexit([] { std::filesystem::remove_all(scratch()); });
    return folder;
  }();
  return kFolder;
}

inline std::string write_scratch(const std::string& name, std::string_view text) {
  const std::filesystem::path path = scratch() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// `input` before and behind its first line that is only "---8<---"; all before where there is none.
inline std::pair<std::string, std::string> split(const std::string& input) {
  constexpr std::string_view cut = "\n---8<---\n";
  const std::size_t at = input.find(cut);
  return at == std::string::npos
             ? std::pair(input, std::string())
             : std::pair(input.substr(0, at + 1), input.substr(at + cut.size()));
}

}  // namespace scalestudy::test
