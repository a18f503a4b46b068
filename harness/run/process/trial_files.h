// What a trial leaves on disk. None of it is trusted: a trial can put anything in a log's place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/store/rows/rows.h"

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

// The last 64 KiB of a log at most; empty when there is none, or the disk does not give it.
std::string read_tail(const std::filesystem::path& path);

// A new log for its user alone, whatever an earlier process left in its place: a pipe would be
// waited for. Returns a descriptor to write to, -1 with errno set when it cannot be made.
int create_log(const std::filesystem::path& path);

// Cuts the middle out of a log over 32 MiB: 16 MiB of its head and of its tail stay, with a line
// between them that tells of the gap. Returns the bytes that were left out, 0 for none. A file that
// has another name, too, is somebody's data and stays as it is.
std::int64_t cap_log(const std::filesystem::path& path);

// Makes `text` a log, whole or, where it finds no room, not at all; false with errno set then.
bool replace_log(const std::filesystem::path& path, std::string_view text);

// Makes a log what is kept of it: capped, and without these secrets, also where the disk is full.
// Returns what was lost of it; "" for nothing.
std::string keep_log(const std::filesystem::path& path, const std::vector<std::string>& secrets);

// How the losses read after which no rule can be applied to a log again.
inline constexpr const char* kLeftOut = "were left out after it was read";

}  // namespace scalestudy
