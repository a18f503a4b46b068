#include "harness/cli/find_study.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/cli/own_text.h"
#include "harness/study/declared/study_name.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

namespace fs = std::filesystem;

namespace {

void require_name(const std::string& wanted) {
  if (wanted.empty()) {
    throw Error(ErrorKind::kUsage,
                "the study's name is empty; give a study file or the name of a stored study");
  }
}

// Whether `wanted` names a file, or can name nothing else.
bool is_from_file(const std::string& wanted, const std::string& results) {
  std::error_code ignored;  // a name too long for a file is none
  const fs::file_status status = fs::status(wanted, ignored);
  return wanted == "-" || (fs::exists(status) && !fs::is_directory(status)) ||
         !fs::exists(fs::path(results) / "results.db");
}

// Whether the store has the study with the cells that its text gives, and no trial left to run.
bool is_complete(const Study& study, const std::string& results) {
  if (!Store::exists(results)) {
    return false;
  }
  const Store store = Store::open_read_only(results);
  const std::optional<StudyRow> row = store.find_study(study.name);
  if (!row || study_hash(parse_own_text(*row)) != study_hash(study)) {
    return false;
  }
  const std::vector<Cell> cells = expand(study).cells;
  const std::vector<CellRow> known = store.cells(row->id);
  return std::ranges::all_of(cells,
                             [&](const Cell& cell) {
                               return std::ranges::find(known, cell.hash, &CellRow::hash) !=
                                      known.end();
                             }) &&
         std::ranges::none_of(store.trials(row->id),
                              [](const TrialRow& trial) { return is_pending(trial.state); });
}

}  // namespace

Store open_existing(const std::string& results) {
  return fs::exists(fs::path(results) / "results.db") ? Store::open(results)
                                                      : Store::open_read_only(results);
}

void warn_of_misnamed(const Store& store, const std::string& results, Terminal& terminal) {
  for (const std::vector<Field>& row : store.query("SELECT name FROM study ORDER BY id").rows) {
    const auto* text = std::get_if<std::string>(&row.at(0));
    const std::string name = text == nullptr ? "" : *text;  // another program may have put NULL
    if (!is_study_name(name)) {
      terminal.warn(
          fmt::format("{}: left out a study: its name \"{}\" is not allowed; `{}` removes it",
                      results,
                      printable(name.substr(0, 80)),
                      call_of(results, "remove", "--misnamed")));
    }
  }
}

std::vector<std::string> file_differences(const StudyRow& row, const std::string& wanted) {
  if (wanted == row.name || !fs::is_regular_file(wanted)) {
    return {};
  }
  const Study now = load_study(wanted, {});
  if (study_hash(now) == row.hash && now.source_text == row.source_text) {
    return {};
  }
  return study_difference(parse_stored_study(row.source_text, row.source_path), now);
}

Study declared_study(const std::string& wanted,
                     const std::vector<std::string>& overrides,
                     const std::string& results) {
  require_name(wanted);
  if (is_from_file(wanted, results)) {
    return load_study(wanted, overrides);
  }
  const StudyRow row = stored_study(Store::open_read_only(results), wanted, results);
  if (overrides.empty()) {
    return parse_own_text(row);
  }
  ParsedStudy parsed = parse_study(row.source_text, row.source_path, overrides);
  if (!parsed.problems.empty()) {
    throw Error(ErrorKind::kUsage,
                format_problems(parsed.problems, row.source_text, "study " + row.name));
  }
  return std::move(parsed.study);
}

void take_left_out(Study& study, const std::string& wanted, const std::string& results) {
  if (!is_from_file(wanted, results)) {  // a file may have the mark as a text of its own
    require_whole_command(study);
  }
  const Study left_out = study;
  try {
    take_secrets(study);
  } catch (const Error&) {
    if (!is_complete(left_out, results)) {
      throw;
    }
  }
}

StudyRow stored_study(const Store& store, const std::string& wanted, const std::string& results) {
  require_name(wanted);
  std::string name = wanted;
  if (std::optional<StudyRow> row = store.find_study(name)) {
    return *row;
  }
  const bool is_file = fs::is_regular_file(wanted);
  if (is_file) {
    name = load_study(wanted, {}).name;
    if (std::optional<StudyRow> row = store.find_study(name)) {
      return *row;
    }
  }
  std::error_code ignored;
  const std::string thing =
      fs::exists(wanted, ignored) ? fmt::format("{} is no study file: ", wanted) : "";
  std::vector<std::string> names;
  for (const StudyRow& row : store.studies()) {
    names.push_back(row.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("no study is named {} in {}{}{}; there: {}. Run it first, from its file",
                          name,
                          results,
                          suggestion(name, names),
                          is_file ? "" : ", and " + thing + why_unread(wanted),
                          names.empty() ? "none" : join(names, ", ")));
}

}  // namespace scalestudy
