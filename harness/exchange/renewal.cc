#include "harness/exchange/renewal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/exchange/page_numbers.h"
#include "harness/exchange/renamed_columns.h"
#include "harness/text/json.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::string_view kResults = "results.json";

std::string told_change(const std::string& place,
                        const std::string& before,
                        const std::string& now) {
  const auto shown = [](const std::string& text) { return text.empty() ? "none" : text; };
  return fmt::format("{}: {}, now {}", place, shown(before), shown(now));
}

// The number that a value is, or those of a list ("15.3 18.1"); none if any part of it is a word.
// Tables of earlier versions spell 1 and 0 as true and false.
std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, " ")) {
    const auto number = parse_number(part == "true" ? "1" : part == "false" ? "0" : part);
    if (!number) {
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

bool is_other_number(const std::string& before, const std::string& now) {
  return numbers_in(before) != numbers_in(now);
}

// told_change() of values, where a long list ("1 2 3 ...") is told by how long it is.
std::string told_values(const std::string& place,
                        const std::string& before,
                        const std::string& now) {
  constexpr std::size_t most_told = 8;
  const std::vector<double> a = numbers_in(before);
  const std::vector<double> b = numbers_in(now);
  if (std::max(a.size(), b.size()) <= most_told) {
    return told_change(place, before, now);
  }
  if (a.size() != b.size()) {
    return told_change(
        place, fmt::format("{} numbers", a.size()), b.empty() ? now : fmt::format("{}", b.size()));
  }
  const auto differ = std::inner_product(
      a.begin(), a.end(), b.begin(), std::ptrdiff_t{0}, std::plus<>(), std::not_equal_to<>());
  return fmt::format("{}: {} of {} numbers differ", place, differ, a.size());
}

using CsvRows = std::vector<std::vector<audit::CsvField>>;

// What a row is called: its label, or its first value.
std::string name_of_row(const CsvRows& rows, std::size_t row) {
  for (std::size_t c = 0; c < rows[0].size() && c < rows[row].size(); ++c) {
    if (rows[0][c].text == "label") {
      return rows[row][c].text;
    }
  }
  return rows[row].empty() ? "" : rows[row][0].text;
}

// The place of a column, or of the one that has its place in this version; absent if neither is
// there.
std::optional<std::size_t> find_column(const std::vector<audit::CsvField>& head,
                                       std::string_view name) {
  const auto found = std::ranges::find(head, name, &audit::CsvField::text);
  if (found != head.end()) {
    return static_cast<std::size_t>(found - head.begin());
  }
  const auto* const renamed = std::ranges::find(kRenamedColumns, name, &RenamedColumn::before);
  return renamed == kRenamedColumns.end() ? std::nullopt : find_column(head, renamed->now);
}

struct DataChanges {
  // Columns that the new file lacks, also under the name of today, or keys.
  std::vector<std::string> missing;
  std::vector<std::string> numbers;
};

DataChanges table_changes(const std::string& file,
                          const std::string& older,
                          const std::string& newer) {
  std::vector<Problem> problems;
  const CsvRows before = audit::parse_csv(older, problems);
  const CsvRows now = audit::parse_csv(newer, problems);
  DataChanges changes;
  for (std::size_t c = 0; !before.empty() && !now.empty() && c < before[0].size(); ++c) {
    if (!find_column(now[0], before[0][c].text)) {
      changes.missing.push_back(told_change(before[0][c].text, "in " + file, "missing"));
    }
  }
  if (before.size() != now.size() || before.empty()) {
    const auto count = [](const CsvRows& rows) {
      return std::to_string(rows.empty() ? 0 : rows.size() - 1);
    };
    changes.numbers = {told_change("rows", count(before), count(now))};
    return changes;
  }
  for (std::size_t c = 0; c < before[0].size(); ++c) {
    const std::optional<std::size_t> other = find_column(now[0], before[0][c].text);
    for (std::size_t row = 1; other && row < before.size(); ++row) {
      const std::string was = c < before[row].size() ? before[row][c].text : "";
      const std::string is = *other < now[row].size() ? now[row][*other].text : "";
      if (is_other_number(was, is)) {
        changes.numbers.push_back(told_values(
            fmt::format("row {} ({}), {}", row, name_of_row(before, row), before[0][c].text),
            was,
            is));
      }
    }
  }
  return changes;
}

std::string member_place(const std::string& place, const std::string& name) {
  return place.empty() ? name : place + ", " + name;
}

// The keys of objects by their place, where the rows of a list are one: "targets" -> "level".
using Keys = std::map<std::string, std::set<std::string>>;

void add_keys(const std::string& place, const JsonText& json, Keys& keys) {
  for (const auto& [name, value] : json.members()) {
    if (!name.empty()) {
      keys[place].insert(name);
    }
    add_keys(name.empty() ? place : member_place(place, name), value, keys);
  }
}

// Keys that no object at their place has now. New ones are passed over, as new columns are: a newer
// version adds them, and they change no number that was published.
std::vector<std::string> missing_keys(const JsonText& older, const JsonText& newer) {
  Keys before;
  Keys now;
  add_keys("", older, before);
  add_keys("", newer, now);
  std::vector<std::string> missing;
  for (const auto& [place, names] : before) {
    const auto same = now.find(place);  // none if it has no rows now, or is missing itself
    for (const std::string& name : names) {
      if (same != now.end() && !same->second.contains(name)) {
        missing.push_back(
            told_change(member_place(place, name), fmt::format("in {}", kResults), "missing"));
      }
    }
  }
  return missing;
}

void add_json_changes(const std::string& place,
                      const JsonText& older,
                      const JsonText& newer,
                      std::vector<std::string>& changes) {
  const auto& before = older.members();
  const auto& now = newer.members();
  if (before.empty() && now.empty()) {
    if (const std::string was = older.dump(), is = newer.dump(); is_other_number(was, is)) {
      changes.push_back(told_change(place, was, is));
    }
    return;
  }
  const bool is_list = !before.empty() ? before[0].first.empty() : now[0].first.empty();
  if (is_list && before.size() != now.size()) {
    changes.push_back(
        told_change(place + ", rows", std::to_string(before.size()), std::to_string(now.size())));
    return;
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& [name, value] = before[i];
    const auto same = is_list ? now.begin() + static_cast<std::ptrdiff_t>(i)
                              : std::ranges::find(now, name, &JsonText::Member::first);
    if (same != now.end() && name != "analysis_version") {
      add_json_changes(is_list ? fmt::format("{} {}", place, i + 1) : member_place(place, name),
                       value,
                       same->second,
                       changes);
    }
  }
}

DataChanges json_changes(const std::string& older, const std::string& newer) {
  const auto before = JsonText::parse(older);
  const auto now = JsonText::parse(newer);
  DataChanges changes;
  if (before && now) {
    changes.missing = missing_keys(*before, *now);
    add_json_changes("", *before, *now, changes.numbers);
  }
  return changes;
}

// Whether the text is a JSON document with members, as every results.json is.
bool is_results(const std::string& text) {
  const auto json = JsonText::parse(text);
  return json && !json->members().empty();
}

bool is_page(const std::string& name) {
  return name.ends_with(".md");
}

// - is_same_text: set to whether the numbers could be compared in their order.
std::vector<std::string> page_changes(const std::string& older,
                                      const std::string& newer,
                                      const FileTexts& all_newer,
                                      bool& is_same_text) {
  const std::vector<PageNumber> before = numbers_of(older);
  const std::vector<PageNumber> now = numbers_of(newer);
  std::vector<std::string> changes;
  is_same_text = before.size() == now.size();
  if (is_same_text) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i].value != now[i].value) {
        changes.push_back(
            told_change(fmt::format("line {}", before[i].line), before[i].text, now[i].text));
      }
    }
    return changes;
  }
  std::set<double> printed;
  for (const auto& [name, text] : all_newer) {
    if (is_page(name)) {
      for (const PageNumber& number : numbers_of(text)) {
        printed.insert(number.value);
      }
    }
  }
  for (const PageNumber& number : before) {
    if (!printed.contains(number.value)) {
      changes.push_back(fmt::format("line {}: {}", number.line, number.text));
    }
  }
  return changes;
}

std::string made_by(const FileTexts& older, const std::string& version) {
  const auto results = older.find(std::string(kResults));
  if (results != older.end() && !is_results(results->second)) {
    return "made by an unknown version, because its results.json is damaged";
  }
  const auto json = results == older.end() ? std::nullopt : JsonText::parse(results->second);
  std::string maker;
  for (const auto& [name, value] : json ? json->members() : std::vector<JsonText::Member>()) {
    if (name == "made_by") {
      const std::string text = value.dump();  // in quotes
      maker = text.substr(1, std::max<std::size_t>(text.size(), 2) - 2);
    }
  }
  return maker.empty()      ? "made by an older version"
         : maker == version ? "made by this version, " + version
                            : fmt::format("made by version {} (this is {})", maker, version);
}

// What of the numbers of all files has changed.
struct Counts {
  std::size_t changed = 0;   // numbers that were compared in their order
  std::size_t gone = 0;      // numbers that no new page has
  std::int64_t columns = 0;  // that a new table lacks
  std::int64_t keys = 0;     // that the new results.json lacks
  std::int64_t tables = 0;   // that the new report lacks
  bool words = false;        // of some file words alone
};

// ", 2 columns missing"; "" if none is.
std::string told_lost(std::int64_t count, std::string_view noun, std::string_view how = "missing") {
  return count == 0 ? "" : fmt::format(", {} {}", format_count(count, noun), how);
}

// Compares a file that is in both reports.
void compare(const std::string& before,
             const std::string& now,
             const FileTexts& newer,
             FileChange& file,
             Counts& counts) {
  bool in_order = true;
  std::vector<std::string> missing;
  const bool is_table = file.file.ends_with(".csv");
  if (is_table || file.file == kResults) {
    DataChanges changes =
        is_table ? table_changes(file.file, before, now) : json_changes(before, now);
    file.numbers = std::move(changes.numbers);
    missing = std::move(changes.missing);
  } else if (is_page(file.file)) {
    file.numbers = page_changes(before, now, newer, in_order);
  } else {
    return;  // drawn or made from the rest
  }
  const std::string count = format_count(std::ssize(file.numbers), "number");
  (in_order ? counts.changed : counts.gone) += file.numbers.size();
  counts.words = counts.words || (file.numbers.empty() && missing.empty()) || !in_order;
  file.what = file.numbers.empty() ? "words differ"
              : in_order           ? count + (file.numbers.size() == 1 ? " differs" : " differ")
                                   : count + " not in the new report";
  if (!missing.empty()) {
    const std::string lacks =
        format_count(std::ssize(missing), is_table ? "column" : "key") + " missing";
    file.what = file.numbers.empty() ? lacks : file.what + ", " + lacks;
    file.numbers.insert(file.numbers.begin(), missing.begin(), missing.end());
    (is_table ? counts.columns : counts.keys) += std::ssize(missing);
  }
}

// What became of the older report's numbers and words.
//   is_damaged  the older report's results.json is
std::string describe(const Counts& counts, const FileTexts& older, bool is_damaged) {
  const std::string lacks = told_lost(counts.columns, "column") + told_lost(counts.keys, "key") +
                            told_lost(counts.tables, "table", "no longer part of the report");
  const std::string words = lacks + (counts.words ? ", words differ" : "");
  const std::string all = is_damaged || !lacks.empty() ? "all other numbers" : "all numbers";
  if (counts.changed > 0) {
    return format_count(static_cast<std::int64_t>(counts.changed), "number") +
           (counts.changed == 1 ? " differs" : " differ") + words;
  }
  if (counts.gone == 0) {
    return all + " equal" + words;
  }
  const bool has_data = std::ranges::any_of(older, [&](const auto& file) {
    return file.first.ends_with(".csv") || (file.first == kResults && !is_damaged);
  });
  return (has_data ? all + " of its data equal"
                   : "it has no data/ or results.json, so its numbers cannot all be compared") +
         words;
}

}  // namespace

Renewal find_renewal(const FileTexts& older,
                     const FileTexts& newer,
                     const std::vector<std::string>& differing,
                     const std::string& version) {
  Renewal renewal;
  Counts counts;
  bool is_damaged = false;
  for (const std::string& name : differing) {
    FileChange& file = renewal.files.emplace_back(FileChange{name, "differs", {}});
    const auto before = older.find(name);
    const auto now = newer.find(name);
    if (before == older.end() || now == newer.end()) {
      file.what = before == older.end() ? "missing" : "no longer part of the report";
      counts.tables += before != older.end() && name.ends_with(".csv") ? 1 : 0;
    } else if (name == kResults && !is_results(before->second)) {
      file.what = "damaged: no whole JSON document, so its numbers cannot be compared";
      is_damaged = true;
    } else {
      compare(before->second, now->second, newer, file, counts);
    }
  }
  renewal.summary = older.empty()
                        ? "none of its files is there"
                        : made_by(older, version) + "; " + describe(counts, older, is_damaged);
  return renewal;
}

}  // namespace scalestudy
