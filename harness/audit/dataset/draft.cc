// Writes dataset.yaml and its CSV files.
#include "harness/audit/dataset/draft.h"

#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "harness/audit/dataset/discover.h"
#include "harness/audit/dataset/guess.h"
#include "harness/base/error.h"
#include "harness/text/csv_line.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"

namespace scalestudy::audit {
namespace {

constexpr std::string_view kAdvice =
    "# Drafted by `scalestudy audit init`. Every `guess:` says how a column was read: confirm or "
    "mend\n"
    "# it (data/published/FORMAT.md), then delete that key. Until then what `audit` says of these\n"
    "# columns is no better than the guess. Where several tables are about the same runs, give "
    "them\n"
    "# the same `experiment:`; what a whole table shares belongs under `fixed:` (model, batch).\n";

// The only field of a line is quoted: without quotes an empty one would be no row at all.
std::string table_line(const std::vector<std::string>& cells) {
  return cells.size() == 1 ? csv_quoted(cells.front()) + "\n" : csv_line(cells);
}

// Letters, digits and `separator`, as names of datasets and tables are.
std::string plain_name(const std::string& text, char separator, std::size_t longest) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != separator) {
      name += separator;
    }
  }
  name = name.substr(0, longest);
  while (!name.empty() && name.back() == separator) {
    name.pop_back();
  }
  return name;
}

std::string column_text(const Guess& guess, const std::string& heading) {
  std::string text = fmt::format("      - column: {}\n", guess.name);
  text += heading.empty() ? "" : fmt::format("        heading: {}\n", yaml_text(heading));
  text += fmt::format("        quantity: {}\n", guess.quantity);
  text += guess.unit.empty() ? "" : fmt::format("        unit: {}\n", yaml_text(guess.unit));
  text += guess.at.empty() ? "" : fmt::format("        at: {{{}}}\n", guess.at);
  text += guess.baseline.empty() ? "" : fmt::format("        baseline: {{{}}}\n", guess.baseline);
  text += guess.follows.empty() ? "" : fmt::format("        follows: {{{}}}\n", guess.follows);
  return text + fmt::format("        guess: {}\n", yaml_text(guess.reason));
}

}  // namespace

std::string unread_tables(const Document& document) {
  const std::size_t count = document.aligned_lines.size();
  std::vector<std::string> lines;
  for (const int line : document.aligned_lines) {
    lines.push_back(std::to_string(line));
  }
  return count == 0 ? ""
                    : fmt::format(
                          "{} in code (line{} {}) {} not read, because only blanks "
                          "separate columns there; type {} as Markdown or CSV",
                          count == 1 ? "a table" : fmt::format("{} tables", count),
                          count == 1 ? "" : "s",
                          join(lines, ", "),
                          count == 1 ? "was" : "were",
                          count == 1 ? "it" : "them");
}

Draft draft_dataset(const Document& document, const std::string& path) {
  constexpr std::size_t longest_name = 60;
  if (document.tables.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: no table found{}",
                    path,
                    !document.aligned_lines.empty() ? " (" + unread_tables(document) + ")"
                    : document.html_table_count > 0
                        ? " (tables of HTML tags are not read; type them as Markdown or CSV)"
                        : " (of GitHub's Markdown, or CSV with a head)"));
  }
  Draft draft;
  const std::string stem = std::filesystem::path(path).stem().string();
  draft.name = plain_name(stem, '-', longest_name);
  draft.name = draft.name.empty() ? "document" : draft.name;
  const std::string title = document.title.empty() ? stem : document.title;
  std::string yaml = fmt::format(
      "{}version: 1\ndataset: {}\ntitle: {}\nsource: {{document: {}}}  # add author, date and url\n"
      "tables:\n",
      kAdvice,
      draft.name,
      yaml_text(title),
      yaml_text(title));
  int number = 0;
  for (const DocumentTable& table : document.tables) {
    const std::string name =
        plain_name(fmt::format("t{} {}", ++number, table.section), '_', longest_name);
    std::vector<Guess> guesses = guess_columns(table);
    discover_relations(table, name, guesses);
    yaml += fmt::format("  - table: {0}\n    file: {0}.csv\n    where: {1}\n    columns:\n",
                        name,
                        yaml_text(fmt::format("lines {}-{}{}",
                                              table.first_line,
                                              table.last_line,
                                              table.section.empty() ? "" : ", " + table.section)));
    std::vector<std::size_t> kept;
    std::vector<std::string> head;
    for (std::size_t c = 0; c < guesses.size(); ++c) {
      if (guesses[c].quantity.empty()) {
        ++draft.left_out_count;
        yaml +=
            fmt::format("      # left out, {}: {}\n", guesses[c].reason, yaml_text(table.head[c]));
        continue;
      }
      ++draft.guess_count;
      kept.push_back(c);
      head.push_back(guesses[c].name);
      yaml += column_text(guesses[c], table.head[c]);
    }
    std::string csv = table_line(head);
    for (const std::vector<std::string>& row : table.rows) {
      std::vector<std::string> cells;
      for (const std::size_t c : kept) {
        cells.push_back(row[c]);
      }
      csv += table_line(cells);
    }
    draft.files[name + ".csv"] = printable(csv);
  }
  draft.files["dataset.yaml"] = printable(yaml);
  return draft;
}

}  // namespace scalestudy::audit
