// What a report states, and whether another report of the same study states it too.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/text/words.h"

namespace scalestudy {

// Tables of a report by file: "speedups.csv" -> CSV text.
using ReportTables = std::map<std::string, std::string>;

// A report's folder: the study as its text gives it, and its tables.
struct PublishedReport {
  std::string study_name;
  std::string study_text;
  ReportTables tables;
};

// Throws Error{kUsage} when report.md or the tables are not there, or the text is not that of the
// hash beside it.
PublishedReport read_report_folder(const std::filesystem::path& folder);

// One verdict, break-even or target.
struct Statement {
  std::string key;          // the same in every report of the study
  std::string name;         // for people
  std::string word;         // faster, crossed, met ...
  bool is_decided = false;  // whether the word says more than that nobody knows
  std::optional<double> value;
  std::optional<double> lo;  // interval; of a break-even without one the tested values around it
  std::optional<double> hi;
  bool is_place = false;  // a break-even that was found: between lo and hi
};

// Of speedups, communication overheads and gains of overlap, break-evens and targets, in the order
// of the tables. Throws Error{kUsage} for a table without the columns it needs.
std::vector<Statement> read_statements(const ReportTables& tables);

// kUndecided: there or here.
enum class Outcome { kReproduced, kNotReproduced, kUndecided };

template <>
inline constexpr std::string_view kWords<Outcome> = "reproduced|not reproduced|undecided";

struct Reproduction {
  Statement there;
  std::optional<Statement> here;  // absent: nothing was stated of it
  Outcome outcome = Outcome::kUndecided;
};

// A decided statement reproduces when the same word is decided here, and for a break-even when the
// intervals share more than an end: at a tested value where one bracket ends and the other begins,
// the two say the opposite.
std::vector<Reproduction> compare_statements(const std::vector<Statement>& there,
                                             const std::vector<Statement>& here);

}  // namespace scalestudy
