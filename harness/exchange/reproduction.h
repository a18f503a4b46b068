// Reads the statements of a report and compares them with those of another report of that study.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "harness/text/words.h"

namespace scalestudy {

// The tables of a report: file name ("speedups.csv") -> CSV text.
using ReportTables = std::map<std::string, std::string>;

// What is read from a report's folder: its study and its tables.
struct PublishedReport {
  std::string study_name;
  std::string study_text;
  ReportTables tables;
};

// Reads a report's folder. Throws Error{kUsage} if report.md or the tables are missing, or if the
// study's text does not have the hash that the report states.
PublishedReport read_report_folder(const std::filesystem::path& folder);

// A verdict, break-even, target or recommended setting that a report states.
struct Statement {
  std::string key;          // identifies the statement in every report of the study
  std::string name;         // for people
  std::string word;         // faster, crossed, met ...
  bool is_decided = false;  // false: the word says that the answer is not known
  std::optional<double> value;
  std::optional<double> lo;  // interval; for a break-even without one the tested values around it
  std::optional<double> hi;
  bool is_place = false;  // a break-even that was found, between lo and hi
  // Of a search: the hash of the cell that it recommends, and those of cells that its fresh blocks
  // do not, and do, tell from that one. Those that left the race early are neither.
  std::string setting;
  std::set<std::string> alike;
  std::set<std::string> apart;
};

// A trial as no other is: the hash of its cell, the second in which it began and, as others of the
// cell may have begun in it, its wall time in s.
using TrialMark = std::tuple<std::string, std::string, double>;

// The trials of a report's tables that tell all of it.
std::set<TrialMark> read_trials(const ReportTables& tables);

// The statements on speedups, communication overheads, gains of overlap, requested metrics, the
// setting of a search, break-evens and targets. Throws Error{kUsage} for a table that lacks a
// column.
std::vector<Statement> read_statements(const ReportTables& tables);

// Whether a statement was confirmed; kUndecided if it is undecided in either report.
enum class ReproductionOutcome { kReproduced, kNotReproduced, kUndecided };

template <>
inline constexpr std::string_view kWords<ReproductionOutcome> =
    "reproduced|not reproduced|undecided";

struct Reproduction {
  Statement there;                // in the published report
  std::optional<Statement> here;  // in the new report; absent: it has no such statement
  ReproductionOutcome outcome = ReproductionOutcome::kUndecided;
};

// Compares the statements of a published report (`there`) with those of a new one. A decided
// statement is reproduced if the new report decides on the same word and, for a break-even, if both
// intervals overlap. A common end is no overlap: where one bracket ends and the other begins, they
// say the opposite of the tested value between them. Two settings that one of the searches holds to
// be alike are undecided.
std::vector<Reproduction> compare_statements(const std::vector<Statement>& there,
                                             const std::vector<Statement>& here);

}  // namespace scalestudy
