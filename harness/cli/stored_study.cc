#include "harness/cli/stored_study.h"

#include <filesystem>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/study/matrix.h"
#include "harness/study/parse.h"

namespace scalestudy {

namespace fs = std::filesystem;

Store open_existing(const std::string& results) {
  return fs::exists(fs::path(results) / "results.db") ? Store::open(results)
                                                      : Store::open_read_only(results);
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
  const std::string known = names.empty() ? "none" : join(names, ", ");
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no study is named {} in {} (there: {}); run it first", name, results, known));
}

}  // namespace scalestudy
