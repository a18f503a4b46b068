// Datasets from text, for the tests of this folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/audit/audit.h"
#include "harness/base/error.h"
#include "tests/support/program.h"

namespace scalestudy::test {

using audit::audit_dataset;
using audit::Dataset;
using audit::Finding;
using audit::load_dataset;

using Files = std::vector<std::pair<std::string, std::string>>;  // name and text

inline const std::string kHead =
    "version: 1\ndataset: example\ntitle: An example\nsource: {document: Example report}\n";

// A folder with dataset.yaml and CSV files, removed at the end.
class DatasetFolder {
 public:
  explicit DatasetFolder(const std::string& yaml, const Files& files = {}) {
    write_file(folder_.file("dataset.yaml"), yaml);
    for (const auto& [name, text] : files) {
      write_file(folder_.file(name), text);
    }
  }

  const std::filesystem::path& path() const { return folder_.path(); }

  Dataset load() const { return load_dataset(path()); }

  std::vector<Finding> audit() const { return audit_dataset(load()); }

  // What load and audit refuse, paths without the folder; "" when they do not.
  std::string problems() const {
    try {
      audit();
      return "";
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string folder = path().string() + "/";
      for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
        text.erase(at, folder.size());
      }
      return text;
    }
  }

 private:
  TemporaryFolder folder_;
};

// A dataset of one table "t": `columns` are the YAML items between the brackets, one a line,
// `extra` further keys of the table with their indentation.
inline std::string one_table(const std::string& columns, const std::string& extra = "") {
  return kHead + "tables:\n  - table: t\n    file: t.csv\n    where: line 1\n" + extra +
         "    columns:\n" + columns;
}

// Findings of one_table() with those arguments.
inline std::vector<Finding> audit_table(const std::string& columns,
                                        const std::string& csv,
                                        const std::string& extra = "") {
  return DatasetFolder(one_table(columns, extra), {{"t.csv", csv}}).audit();
}

// "figure: verdict" of each finding, one a line.
inline std::string verdicts(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.figure + " " + finding.printed + ": " +
            std::string(verdict_name(finding.verdict)) + "\n";
  }
  return text;
}

}  // namespace scalestudy::test
