#include "harness/exchange/reproduction.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/exchange/renamed_columns.h"
#include "harness/store/rows/search_rows.h"
#include "harness/study/parse.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTables{"speedups.csv",
                             "overhead.csv",
                             "controls.csv",
                             "metrics.csv",
                             "search.csv",
                             "thresholds.csv",
                             "targets.csv",
                             "trials.csv"};

using TableRow = std::map<std::string, std::string>;  // by column, as this version names it

std::vector<TableRow> read_table(const ReportTables& tables, const std::string& name) {
  const auto table = tables.find(name);
  std::vector<TableRow> rows;
  if (table == tables.end()) {
    return rows;
  }
  std::vector<Problem> problems;
  const auto lines = audit::parse_csv(table->second, problems);
  if (!problems.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: {}", name, problems.front().line, problems.front().message));
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    TableRow& row = rows.emplace_back();
    for (std::size_t j = 0; j < std::min(lines[0].size(), lines[i].size()); ++j) {
      row[lines[0][j].text] = lines[i][j].text;
    }
    for (const auto& [before, now] : kRenamedColumns) {
      if (const auto found = row.find(std::string(before)); found != row.end()) {
        row.try_emplace(std::string(now), found->second);
      }
    }
  }
  return rows;
}

const std::string& field(const TableRow& row, const std::string& table, const std::string& name) {
  const auto found = row.find(name);
  if (found == row.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no column {}; these are not the tables of a report", table, name));
  }
  return found->second;
}

std::optional<double> number(const TableRow& row,
                             const std::string& table,
                             const std::string& name) {
  return parse_whole<double>(field(row, table, name));
}

// A share of the step is neither faster nor slower.
std::string word_of(const std::string& quantity, const std::string& verdict) {
  static const std::map<std::string, std::string> of_shares{
      {"slower", "takes time"},
      {"faster", "longer without it"},
      {"equivalent", "equally long without it"}};
  const auto found = of_shares.find(verdict);
  return quantity != names::kOverhead || found == of_shares.end() ? verdict : found->second;
}

bool is_decided_verdict(const std::string& verdict) {
  static const std::set<std::string> decided{"faster", "slower", "equivalent", "better", "worse"};
  return decided.contains(verdict);
}

// All of metrics.csv, which has what the study asks for alone.
void add_comparisons(const ReportTables& tables,
                     const std::string& table,
                     std::vector<Statement>& statements) {
  static const std::set<std::string> quantities{
      names::kSpeedup, names::kOverhead, names::kOverlapGain};
  for (const TableRow& row : read_table(tables, table)) {
    const std::string& quantity = field(row, table, "quantity");
    if (table != "metrics.csv" && !quantities.contains(quantity)) {
      continue;
    }
    Statement& statement = statements.emplace_back();
    statement.key = fmt::format(
        "{} {} {}", quantity, field(row, table, "cell"), field(row, table, "baseline_cell"));
    statement.name = fmt::format(
        "{} of {} over {}", quantity, field(row, table, "label"), field(row, table, "baseline"));
    const std::string& verdict = field(row, table, "verdict");
    statement.word = word_of(quantity, verdict);
    statement.is_decided = is_decided_verdict(verdict);
    statement.value = number(row, table, "value");
    statement.lo = number(row, table, "lo");
    statement.hi = number(row, table, "hi");
  }
}

// The verdicts of that quantity, by the hash of the cell.
std::map<std::string, std::string> verdicts_of(const ReportTables& tables,
                                               const std::string& quantity) {
  std::map<std::string, std::string> verdicts;
  for (const std::string table : {"speedups.csv", "metrics.csv"}) {
    for (const TableRow& row : read_table(tables, table)) {
      if (field(row, table, "quantity") == quantity) {
        verdicts.emplace(field(row, table, "cell"), field(row, table, "verdict"));
      }
    }
  }
  return verdicts;
}

// Puts the cell where the verdict on it and the recommended setting says.
void put_beside(const std::string& cell, const std::string& verdict, Statement& search) {
  static const std::set<std::string> alike{
      "equivalent", "no significant difference", "not enough data"};
  (alike.contains(verdict) ? search.alike : search.apart).insert(cell);
}

// Decided is a search whose winner has a decided verdict against the default.
void add_search(const ReportTables& tables, std::vector<Statement>& statements) {
  const std::string table = "search.csv";
  const std::vector<TableRow> rows = read_table(tables, table);
  if (rows.empty()) {
    return;
  }
  Statement& statement = statements.emplace_back();
  statement.name = "setting that the search recommends";
  statement.key = statement.name;
  statement.word = "none";
  std::map<std::string, std::string> by_role;
  for (const TableRow& row : rows) {
    const std::string& cell = field(row, table, "cell");
    const std::string& role = field(row, table, "role");
    by_role[role] = cell;
    if (role == to_word(SearchRole::kFailed)) {
      statement.apart.insert(cell);
    }
    if (field(row, table, "is_recommended") == "1") {
      statement.word = field(row, table, "label");
      statement.setting = cell;
    }
  }
  const std::string winner = by_role[std::string(to_word(SearchRole::kWinner))];
  const std::string base = by_role[std::string(to_word(SearchRole::kDefault))];
  const std::string gain = verdicts_of(tables, field(rows.front(), table, "quantity"))[winner];
  statement.is_decided = is_decided_verdict(gain) && !statement.setting.empty();
  put_beside(statement.setting == winner ? base : winner, gain, statement);
  if (statement.setting == winner) {
    for (const auto& [cell, verdict] : verdicts_of(tables, names::kAgainstWinner)) {
      put_beside(cell, verdict, statement);
    }
  }
}

void add_thresholds(const ReportTables& tables, std::vector<Statement>& statements) {
  const std::string table = "thresholds.csv";
  for (const TableRow& row : read_table(tables, table)) {
    Statement& statement = statements.emplace_back();
    const std::string& group = field(row, table, "group_label");
    statement.name = fmt::format("{} = {} along {}{}",
                                 field(row, table, "metric"),
                                 field(row, table, "level"),
                                 field(row, table, "along"),
                                 group.empty() ? "" : " at " + group);
    statement.key = statement.name;
    statement.word = field(row, table, "status");
    statement.is_place = statement.word == "crossed" || statement.word == "crossed_down";
    statement.is_decided = statement.is_place || statement.word == "always" ||
                           statement.word == "not_reached" || statement.word == "all_tied";
    if (statement.is_place) {
      statement.value = number(row, table, "estimate");
      statement.lo = number(row, table, "lo");
      statement.hi = number(row, table, "hi");
      if (!statement.lo || !statement.hi) {
        statement.lo = number(row, table, "bracket_lo");
        statement.hi = number(row, table, "bracket_hi");
      }
    }
  }
}

void add_targets(const ReportTables& tables, std::vector<Statement>& statements) {
  const std::string table = "targets.csv";
  for (const TableRow& row : read_table(tables, table)) {
    Statement& statement = statements.emplace_back();
    const std::string& label = field(row, table, "label");
    const std::string& target = field(row, table, "target");
    statement.key = fmt::format("target {} {}", target, field(row, table, "cell"));
    statement.name = fmt::format("target {}{}", target, label.empty() ? "" : ", " + label);
    statement.word = field(row, table, "verdict");
    statement.is_decided = statement.word == "met" || statement.word == "missed";
    statement.value = number(row, table, "value");
    statement.lo = number(row, table, "lo");
    statement.hi = number(row, table, "hi");
  }
}

bool share_a_place(const Statement& a, const Statement& b) {
  return a.lo && a.hi && b.lo && b.hi && std::max(*a.lo, *b.lo) < std::min(*a.hi, *b.hi);
}

ReproductionOutcome judge(const Statement& there, const std::optional<Statement>& here) {
  if (!there.is_decided || !here || !here->is_decided) {
    return ReproductionOutcome::kUndecided;
  }
  if (there.setting != here->setting) {
    const auto have = [&](std::set<std::string> Statement::*cells) {
      return (there.*cells).contains(here->setting) || ((*here).*cells).contains(there.setting);
    };
    return have(&Statement::apart) && !have(&Statement::alike) ? ReproductionOutcome::kNotReproduced
                                                               : ReproductionOutcome::kUndecided;
  }
  const bool is_same_word = there.word == here->word || !there.setting.empty();
  const bool is_same = is_same_word && (!there.is_place || share_a_place(there, *here));
  return is_same ? ReproductionOutcome::kReproduced : ReproductionOutcome::kNotReproduced;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{}: {}; give the folder of an export or of a report", path.string(), what));
}

// What stands between `before` and `after`, from `at` on, which moves behind it.
std::string between(const std::string& text,
                    const std::string& before,
                    const std::string& after,
                    std::size_t& at) {
  const std::size_t begin = text.find(before, at);
  const std::size_t end =
      begin == std::string::npos ? begin : text.find(after, begin + before.size());
  if (end == std::string::npos) {
    return "";
  }
  at = end;
  return text.substr(begin + before.size(), end - begin - before.size());
}

}  // namespace

PublishedReport read_report_folder(const fs::path& folder) {
  PublishedReport report;
  const fs::path path = folder / "report.md";
  std::optional<std::string> page = read_file(path);
  if (!page) {
    refuse(folder, "no export.json and no report.md");
  }
  *page += read_file(folder / "details.md").value_or("");
  // As templates/partials/reproduce.md writes it.
  std::size_t at = 0;
  report.study_name = between(*page, "\nStudy `", "` with hash `", at);
  const std::string hash = between(*page, "with hash `", "`", at);
  between(*page, "\n\n```sh\n", "\n```\n\n", at);
  const std::string fence = between(*page, "\n```\n\n", "yaml\n", at);
  report.study_text = between(*page, "yaml\n", "\n" + fence + "\n", at) + "\n";
  if (report.study_name.empty() || fence.size() < 3 ||
      fence.find_first_not_of('`') != std::string::npos) {
    refuse(path, "the text of the study is not in it");
  }
  const Study study = parse_stored_study(report.study_text, path.string());
  if (!has_hash(study, hash) || study.name != report.study_name) {
    refuse(path,
           fmt::format("the study's text is not that of `{}`, hash {}", report.study_name, hash));
  }
  for (const char* name : kTables) {
    if (auto text = read_file(folder / "data" / name)) {
      report.tables.emplace(name, std::move(*text));
    }
  }
  if (report.tables.empty()) {
    refuse(folder, "no tables in data/");
  }
  return report;
}

std::set<TrialMark> read_trials(const ReportTables& tables) {
  std::set<TrialMark> trials;
  for (const TableRow& row : read_table(tables, "trials.csv")) {
    const auto cell = row.find("cell");
    const auto begin = row.find("started_at");
    const auto wall_s =
        row.contains("wall_s") ? number(row, "trials.csv", "wall_s") : std::optional<double>();
    if (cell != row.end() && begin != row.end() && !begin->second.empty() && wall_s) {
      trials.emplace(cell->second, begin->second, *wall_s);
    }
  }
  return trials;
}

std::vector<Statement> read_statements(const ReportTables& tables) {
  std::vector<Statement> statements;
  for (const char* table : {"speedups.csv", "overhead.csv", "controls.csv", "metrics.csv"}) {
    add_comparisons(tables, table, statements);
  }
  add_search(tables, statements);
  add_thresholds(tables, statements);
  add_targets(tables, statements);
  return statements;
}

std::vector<Reproduction> compare_statements(const std::vector<Statement>& there,
                                             const std::vector<Statement>& here) {
  std::vector<Reproduction> compared;
  for (const Statement& statement : there) {
    const auto found = std::ranges::find(here, statement.key, &Statement::key);
    const auto partner = found == here.end() ? std::nullopt : std::optional(*found);
    compared.push_back({.there = statement, .here = partner, .outcome = judge(statement, partner)});
  }
  return compared;
}

}  // namespace scalestudy
