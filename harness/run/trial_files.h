// What a trial leaves on disk. None of it is trusted: a trial can put anything in a log's place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "harness/store/rows.h"

namespace scalestudy {

// The three files of an attempt, in logs/<study>/<cell hash>-b<block>-a<attempt>.
struct TrialFiles {
  TrialFiles(const std::filesystem::path& results_folder,
             const std::string& study,
             const std::string& cell_hash,
             const TrialRow& trial);

  std::filesystem::path results;  // the results folder, absolute
  std::filesystem::path folder;   // of the attempt, relative to `results`

  [[nodiscard]] std::filesystem::path stdout_path() const { return results / folder / "stdout"; }
  [[nodiscard]] std::filesystem::path stderr_path() const { return results / folder / "stderr"; }
  [[nodiscard]] std::filesystem::path protocol_path() const {
    return results / folder / "protocol.jsonl";
  }
};

// Not open where there is no file, or something else than one (a pipe would be waited for).
std::ifstream open_log(const std::filesystem::path& path);

// The last 64 KiB of a log at most; empty when there is none.
std::string read_tail(const std::filesystem::path& path);

// Cuts the middle out of a log over 32 MiB: 16 MiB of its head and of its tail stay, with a line
// between them that tells of the gap. Returns the bytes that were left out, 0 for none.
std::int64_t cap_log(const std::filesystem::path& path);

// Replaces what a log holds by what `change` makes of it.
void rewrite_log(const std::filesystem::path& path,
                 const std::function<std::string(std::string)>& change);

}  // namespace scalestudy
