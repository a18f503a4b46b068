#include "harness/cli/stored_study.h"

#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/cli/verb.h"
#include "harness/store/removal.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

namespace fs = std::filesystem;

namespace {

// Of a text that cannot be read whole, what can be.
Study read_leniently(const StudyRow& row) {
  try {
    return parse_stored_study(row.source_text, row.source_path);
  } catch (const Error&) {
    return parse_study(row.source_text, row.source_path, {}).study;
  }
}

// A row and its text are one study's: what runs is called as its text says.
Study parse_own_text(const StudyRow& row) {
  Study study = parse_stored_study(row.source_text, row.source_path);
  if (study.name != row.name) {
    throw Error(ErrorKind::kStore,
                fmt::format("study {}: its text is that of a study {}; another program changed it",
                            row.name,
                            study.name));
  }
  return study;
}

}  // namespace

Store open_existing(const std::string& results) {
  return fs::exists(fs::path(results) / "results.db") ? Store::open(results)
                                                      : Store::open_read_only(results);
}

std::vector<std::string> stored_secrets(const Store& store) {
  std::vector<std::string> secrets;
  for (const StudyRow& row : store.studies()) {
    if (row.source_text.find("secret") != std::string::npos) {
      const std::vector<std::string> values = secret_values(read_leniently(row));
      secrets.insert(secrets.end(), values.begin(), values.end());
    }
  }
  return secrets;
}

void warn_of_misnamed(const std::string& results, Terminal& terminal) {
  for (const StudyRow& row : misnamed_studies(results)) {
    terminal.warn(
        fmt::format("{}: left out a study: its name \"{}\" is not allowed; `{}` removes it",
                    results,
                    printable(row.name.substr(0, 80)),
                    call_of(results, "remove", "--misnamed")));
  }
}

bool has_own_hash(const StudyRow& row, const Study& study) {
  // Where a secret stood in the text, an export has "(secret)".
  const bool is_masked = row.source_text.find("(secret)") != std::string::npos;
  return study_hash(study) == row.hash || (is_masked && is_text_hash(row.hash));
}

void require_own_texts(const NamedContent& from) {
  for (const StudyContent& content : from.content.studies) {
    const StudyRow& row = content.study;
    if (!has_own_hash(row, parse_own_text(row))) {
      throw Error(ErrorKind::kStore,
                  fmt::format("{}: study {}: its text does not match its hash {}: one of them was "
                              "changed; nothing was taken",
                              from.name,
                              row.name,
                              printable(row.hash.substr(0, 40))));
    }
  }
}

void put_content(Store& store, const StoreContent& content) {
  std::map<std::string, Study> studies;  // read before anything is replaced
  for (const StudyContent& of_study : content.studies) {
    const StudyRow& row = of_study.study;
    studies.emplace(row.name, parse_stored_study(row.source_text, row.source_path));
  }
  store.replace_content(content);
  for (const StudyRow& row : store.studies()) {
    store.replace_results(row.id, analyse(store, row.id, studies.at(row.name)));
  }
}

std::vector<std::string> file_differences(const StudyRow& row, const std::string& wanted) {
  if (wanted == row.name || !fs::is_regular_file(wanted)) {
    return {};
  }
  const Study now = load_study(wanted, {});
  if (study_hash(now) == row.hash) {
    return {};
  }
  return study_difference(parse_stored_study(row.source_text, row.source_path), now);
}

Study declared_study(const std::string& wanted,
                     const std::vector<std::string>& overrides,
                     const std::string& results) {
  std::error_code ignored;  // a name too long for a file is none
  const fs::file_status status = fs::status(wanted, ignored);
  if (wanted == "-" || fs::exists(status) || !fs::exists(fs::path(results) / "results.db")) {
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

StudyRow stored_study(const Store& store, const std::string& wanted, const std::string& results) {
  std::string name = wanted;
  if (std::optional<StudyRow> row = store.find_study(name)) {
    return *row;
  }
  if (fs::is_regular_file(wanted)) {
    name = load_study(wanted, {}).name;
    if (std::optional<StudyRow> row = store.find_study(name)) {
      return *row;
    }
  }
  std::vector<std::string> names;
  for (const StudyRow& row : store.studies()) {
    names.push_back(row.name);
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no study is named {} in {}{}, nor is there such a file; there: {}. Run it "
                  "first, from its file",
                  name,
                  results,
                  suggestion(name, names),
                  names.empty() ? "none" : join(names, ", ")));
}

std::string call_of(const std::string& results, const std::string& verb, const std::string& study) {
  const std::string folder =
      results == Globals().results ? "" : " --results " + shell_word(results);
  return fmt::format("scalestudy{} {} {}", folder, verb, shell_word(study));
}

}  // namespace scalestudy
