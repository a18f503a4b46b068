// One reader a kind of file: text -> tables of printed figures.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/yaml/problem.h"

namespace scalestudy {

// What a reader fills. With problems it is incomplete and must not be used.
struct Reading {
  audit::Dataset& dataset;
  std::vector<Problem>& problems;
  std::vector<std::string>& notes;
  std::string path;  // for places
};

// The text that nccl-tests prints, of any number of runs one after the other; lines of NCCL and of
// launchers between are passed over. Versions before 2.13 (no `root`, `error` for `#wrong`) too. A
// table without its footer is a problem: the run was cut off.
void read_nccl_text(const std::string& text, Reading& reading);

// The JSON of nccl-tests' option -J (2.17.9 and later).
void read_nccl_json(const std::string& text, Reading& reading);

// The JSON of hyperfine's --export-json. It prints numbers in the shortest form that reads back to
// the same double: each stands for its value alone.
void read_hyperfine(const std::string& text, Reading& reading);

// The CSV of its --export-csv.
void read_hyperfine_csv(const std::string& text, Reading& reading);

// RFC 4180 with a head line; `column_map` as in ImportRequest.
void read_mapped_csv(const std::string& text,
                     const std::vector<std::string>& column_map,
                     Reading& reading);

}  // namespace scalestudy
