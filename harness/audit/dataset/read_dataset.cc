// dataset.yaml as a whole: all problems of all its files together.
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/dataset/read_sections.h"
#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

namespace fs = std::filesystem;

void read_source(Fields& root, ReadContext& context) {
  if (!root.require("source")) {
    return;
  }
  const YamlNode* node = root.map("source");
  if (node == nullptr) {
    return;
  }
  Fields fields(*node, "source", {"document", "author", "date", "url"}, context.problems);
  Source& source = context.dataset.source;
  fields.require("document");
  source.document = fields.text("document").value_or("");
  source.author = fields.text("author").value_or("");
  source.date = fields.text("date").value_or("");
  source.url = fields.text("url").value_or("");
}

void read_head(Fields& root, ReadContext& context) {
  if (root.require("version")) {
    const auto version = root.text("version");
    if (version && *version != "1") {
      root.problem("version",
                   fmt::format("version {} is not known here; this scalestudy reads version 1",
                               version->substr(0, 60)));
    }
  }
  context.dataset.name = read_name(root, "dataset", NameRule::kPlain);
  root.require("title");
  context.dataset.title = root.text("title").value_or("");
  context.dataset.hardware = root.text("hardware").value_or("");
  read_source(root, context);
}

// Names of conditions that are no quantities must be columns of labels.
void check_labels(ReadContext& context) {
  std::vector<std::string> known;
  for (const QuantityInfo& info : quantities()) {
    known.emplace_back(info.name);
  }
  for (const Table& table : context.dataset.tables) {
    for (const Column& column : table.columns) {
      if (column.declared.quantity == "label") {
        known.push_back(column.name);
      }
    }
  }
  for (const ReadContext::LabelUse& use : context.label_uses) {
    if (std::find(known.begin(), known.end(), use.name) == known.end()) {
      context.problems.add(
          use.at,
          fmt::format("\"{}\" is neither a quantity nor a column of labels{}; see FORMAT.md",
                      use.name,
                      suggestion(use.name, known)));
    }
  }
}

// An experiment that one statement alone has, and that is nearly that of a table, is a misspelt
// name: the statement would be compared with nothing.
void check_experiments(const YamlNode& statements, ReadContext& context) {
  std::vector<std::string> known;
  for (const Table& table : context.dataset.tables) {
    known.push_back(table.experiment);
  }
  for (const YamlNode& item : statements.items) {
    const YamlNode* named = item.find("experiment");
    if (named == nullptr || !named->is_scalar() ||
        std::find(known.begin(), known.end(), named->text) != known.end()) {
      continue;
    }
    const auto has_it = [&](const YamlNode& other) {
      const YamlNode* its = other.find("experiment");
      return its != nullptr && its->text == named->text;
    };
    const std::string near = suggestion(named->text, known);
    if (!near.empty() &&
        std::count_if(statements.items.begin(), statements.items.end(), has_it) < 2) {
      context.problems.add(*named,
                           fmt::format("no table has the experiment \"{}\"{}; by default it is the "
                                       "table's name",
                                       named->text.substr(0, 80),
                                       near));
    }
  }
}

void read_root(const YamlNode& tree,
               ReadContext& context,
               std::vector<std::string>& file_problems) {
  if (!tree.is_map()) {
    context.problems.add(tree, "a dataset must be a mapping that starts with `version: 1`");
    return;
  }
  Fields root(
      tree,
      "",
      {"version", "dataset", "title", "source", "hardware", "tables", "statements", "notes"},
      context.problems);
  read_head(root, context);
  root.text("notes");
  if (!root.has("tables") && !root.has("statements")) {
    context.problems.add(tree, "tables and statements are both missing; a dataset holds figures");
  }
  if (const YamlNode* tables = root.list("tables")) {
    for (std::size_t i = 0; i < tables->items.size(); ++i) {
      read_table(tables->items[i], i, context, file_problems);
    }
  }
  if (const YamlNode* statements = root.list("statements")) {
    for (std::size_t i = 0; i < statements->items.size(); ++i) {
      read_statement(statements->items[i], i, context);
    }
    check_experiments(*statements, context);
  }
  check_labels(context);
}

}  // namespace

std::string read_name(Fields& fields, const std::string& key, NameRule rule) {
  constexpr std::array<std::pair<const char*, const char*>, 3> rules{
      {{"[a-z][a-z0-9_]{0,63}", "a lower-case letter, then letters, digits and _"},
       {"[a-z0-9][a-z0-9-]{0,63}", "lower-case letters, digits and -"},
       {"[A-Za-z0-9][A-Za-z0-9._-]*\\.csv", "the name of a CSV file of this folder"}}};
  if (!fields.require(key)) {
    return "";
  }
  const auto& [pattern, allowed] = rules.at(static_cast<std::size_t>(rule));
  std::string name = fields.text(key).value_or("");
  if (!name.empty() && !re2::RE2::FullMatch(name, pattern)) {
    fields.problem(
        key,
        fmt::format("{} is \"{}\"; allowed: {}", fields.path(key), name.substr(0, 80), allowed));
  }
  return name;
}

std::vector<std::string> with_declaration(std::vector<std::string> keys) {
  keys.insert(keys.end(), kDeclarationKeys.begin(), kDeclarationKeys.end());
  return keys;
}

Dataset load_dataset(const fs::path& folder) {
  Dataset dataset;
  dataset.folder = folder;
  const std::string path = (folder / "dataset.yaml").string();
  const std::string text = read_given_file(path);
  std::vector<Problem> problems;
  std::vector<std::string> file_problems;
  const YamlNode tree = parse_yaml(text, problems);
  if (problems.empty()) {
    ProblemList list(problems);
    ReadContext context{dataset, list, path};
    read_root(tree, context, file_problems);
  }
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  if (!problems.empty()) {
    file_problems.insert(file_problems.begin(), format_problems(problems, text, path));
  }
  if (!file_problems.empty()) {
    throw Error(ErrorKind::kUsage, join(file_problems, "\n"));
  }
  return dataset;
}

}  // namespace scalestudy::audit
