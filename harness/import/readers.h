// The readers, one for each kind of file, which turn its text into tables of printed figures.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/yaml/problem.h"

namespace scalestudy {

// What a reader fills. If it adds a problem, the dataset is incomplete and must not be used.
struct ImportReading {
  audit::Dataset& dataset;
  std::vector<Problem>& problems;
  std::vector<std::string>& notes;
  std::string path;  // of the file, for the places of problems
};

// Raised when the same output of nccl-tests gives other figures: a file that was imported before
// then counts as changed.
inline constexpr int kNcclReading = 2;

// Reads what nccl-tests prints, for any number of runs one after the other; skips lines that NCCL
// and launchers print between. Reads the columns of all versions from 2.0 to 2.20 (before 2.13: no
// `root`, `error` for `#wrong`; since 2.19: statistics of iterations). A table without its footer
// is a problem: the run was cut off.
void read_nccl_text(const std::string& text, ImportReading& reading);

// Reads the JSON of nccl-tests' option -J (2.17.9 and later).
void read_nccl_json(const std::string& text, ImportReading& reading);

// Reads the JSON of hyperfine's --export-json, which prints numbers in the shortest form that reads
// back to the same double: they are exact, not rounded.
void read_hyperfine(const std::string& text, ImportReading& reading);

// Reads the CSV of hyperfine's --export-csv.
void read_hyperfine_csv(const std::string& text, ImportReading& reading);

// Reads any CSV (RFC 4180) with a head line; `column_map` as in ImportRequest.
void read_mapped_csv(const std::string& text,
                     const std::vector<std::string>& column_map,
                     ImportReading& reading);

}  // namespace scalestudy
