// Runs in the files that a pattern names: one a file, or several by a separator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/import/runs/cell_finder.h"
#include "harness/import/runs/run_pattern.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// What a user says of the logs.
struct RunsRequest {
  std::string from{};  // RunPattern of the paths
  // RE2: a line (output_text.h) that it finds begins a run; "": one a file.
  std::string separator{};
  std::string order{};                    // name of the value that orders launches; "": unknown
  std::vector<std::string> column_map{};  // "COLUMN=MEANING[:UNIT]": the files are CSV tables
  // The folder of the results folder: sources of stored trials may be relative to it.
  std::filesystem::path home{};
};

struct FoundRun {
  std::string source;  // "logs/2-64-1.log"; of one in a file of several "runs.log#3"
  NamedTexts values;   // by name: of axes, run, block, and the request's order
  std::string path{};
  std::string part{};       // of its source that names it within the file: "#3"
  std::int64_t offset = 0;  // of its first byte in the file
  std::int64_t size = 0;
  // Of a table's run, which has no text of its own in the file:
  std::optional<protocol::Record> record{};
  std::string table = {};  // its values as a CSV table
};

struct FoundRuns {
  std::vector<FoundRun> runs;         // by source
  std::vector<std::string> problems;  // of files and values, a sentence each
  std::vector<std::string> notes;     // what a reader of the numbers should know
};

// The runs of all files that the pattern matches. Throws Error{kUsage} where the request itself is
// wrong: no file matches, a name is none of the study's, the separator is no regular expression.
FoundRuns find_runs(const RunsRequest& request, const CellFinder& finder, const Steps& steps);

// The run's text, as it is in its file now. Throws Error{kUsage} if it cannot be read.
std::string text_of(const FoundRun& run);

// "devices 2, run 3"
std::string describe_values(const NamedTexts& values);

// The values in `text` by the pattern, where each is one of the study's; else why there are none.
struct ReadName {
  NamedTexts values;
  std::string problem;
};
ReadName read_name(const RunPattern& pattern, const std::string& text, const CellFinder& finder);

// Throws Error{kUsage} for a name that neither the study nor the request knows.
void require_known_name(const std::string& name,
                        const std::string& where,
                        const RunsRequest& request,
                        const CellFinder& finder);

}  // namespace scalestudy
