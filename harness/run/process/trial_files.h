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

// The name of {trial_folder}, which a program may empty or remove, among the files of an attempt.
inline constexpr const char* kOwnFolder = "files";

inline constexpr std::uintmax_t kMostKept = std::uintmax_t{32} << 20U;  // bytes of a kept file

// The three files of an attempt, in logs/<study>/<cell hash>-b<block>-a<attempt>; of an imported
// one in <cell hash>-<source_hash>-a<attempt>. {trial_folder} is a folder beside them.
// - names_plan: the folder's name ends in the plan, because another plan of the store has such a
//   block.
struct TrialFiles {
  TrialFiles(const std::filesystem::path& results_folder,
             const std::string& study,
             const std::string& cell_hash,
             const TrialRow& trial,
             bool names_plan = false);

  std::filesystem::path results;  // the results folder, absolute
  std::filesystem::path folder;   // of the attempt, relative to `results`

  [[nodiscard]] std::filesystem::path stdout_path() const { return results / folder / "stdout"; }
  [[nodiscard]] std::filesystem::path stderr_path() const { return results / folder / "stderr"; }
  [[nodiscard]] std::filesystem::path protocol_path() const {
    return results / folder / "protocol.jsonl";
  }
  [[nodiscard]] std::filesystem::path own_folder() const { return results / folder / kOwnFolder; }
};

// Opens a log for reading; the stream is not open when `path` is no regular file (a pipe would
// block the reader).
std::ifstream open_log(const std::filesystem::path& path);

// The last 64 KiB of a log at most, without a first line that is cut; empty when there is no log,
// or it cannot be read.
std::string read_tail(const std::filesystem::path& path);

// Makes a new log that its user alone can read, in place of whatever an earlier process left there.
// Returns a descriptor to write to, -1 with errno set when the log cannot be made.
int create_log(const std::filesystem::path& path);

// Cuts the middle out of a log over 32 MiB: 16 MiB of its head and of its tail stay, with a line
// between them that tells of the gap. One of the secrets that lies across an end of the gap is left
// out whole, since half of it would not be known as one. Returns the number of bytes left out, 0
// for none. A file with a second hard link is somebody's data and stays as it is.
std::int64_t cap_log(const std::filesystem::path& path,
                     const std::vector<std::string>& secrets = {});

// Replaces a log by `text`, whole or not at all; false with errno set when it failed.
bool replace_log(const std::filesystem::path& path, std::string_view text);

// Reduces a log to what is kept: capped, and without these secrets, even when the disk is full.
// Returns a sentence about what the log lost; "" for nothing.
std::string keep_log(const std::filesystem::path& path, const std::vector<std::string>& secrets);

// Words of a note about a loss that keeps extract rules from being applied to the log again.
inline constexpr const char* kLeftOut = "were left out after it was read";

// The start of a note about logs whose end may be missing, which rules are not applied to again.
inline constexpr const char* kMayBeCut = "output: may be cut";

// Whether the folder's disk has so little room left for this user, less than 64 KiB, that what a
// program wrote last may be missing. A quota does not show; a file system that tells no size is not
// full.
bool is_disk_full(const std::filesystem::path& folder);

}  // namespace scalestudy
