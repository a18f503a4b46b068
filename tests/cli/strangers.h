// What the tests of strangers' stores, exports and folders share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

inline void change(const std::string& results, const std::string& sql) {
  SQLite::Database(results + "/results.db", SQLite::OPEN_READWRITE).exec(sql);
}

// A results folder with a study "demo", of which some trials were run.
inline void require_run(const Workspace& workspace) {
  const ProgramResult result = workspace.run({"run", workspace.study(), "--max-trials", "4"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

inline void replace_in(const std::string& path, const std::string& from, const std::string& to) {
  const std::string text = read_file(path);
  REQUIRE(text.find(from) != std::string::npos);
  write_file(path, replaced(text, from, to));
}

// Whether a file or folder below has such a name.
inline bool exists_below(const std::filesystem::path& folder, const std::string& name) {
  return std::ranges::any_of(
      std::filesystem::recursive_directory_iterator(folder), [&](const auto& entry) {
        return entry.path().filename().string().find(name) != std::string::npos;
      });
}

}  // namespace scalestudy::test
