// How many figures of data/published the shipped studies compare, by the commands of
// docs/evidence/published-figures.md, and that each other figure says why it is not compared.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/studies/equal_quantity_table.h"
#include "harness/audit/dataset/dataset.h"
#include "harness/audit/figure/quantity.h"
#include "harness/base/read_file.h"
#include "harness/import/import.h"
#include "harness/study/parameters/metrics.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

const std::string kRoot = SCALESTUDY_SOURCE_DIR "/";
const std::string kPage = kRoot + "docs/evidence/published-figures.md";

struct Command {
  std::string dataset;
  std::string study;
  std::vector<std::string> assumed;
};

std::vector<std::string> words_in(const std::string& line) {
  std::vector<std::string> words(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (c == ' ' && !is_quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::erase(words, "");
  return words;
}

// The lines "scalestudy import ..." of the page, which a backslash continues.
std::vector<Command> commands_of_page() {
  std::string page = scalestudy::read_file(kPage).value();
  for (std::size_t at = 0; (at = page.find("\\\n", at)) != std::string::npos;) {
    page.replace(at, 2, " ");
  }
  std::vector<Command> commands;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_in(line);
    if (words.size() < 5 || words[0] != "scalestudy" || words[1] != "import") {
      continue;
    }
    Command& command = commands.emplace_back();
    command.dataset = words[2];
    for (std::size_t i = 3; i + 1 < words.size(); i += 2) {
      if (words[i] == "--study") {
        command.study = words[i + 1];
      } else {
        REQUIRE(words[i] == "--assume");
        command.assumed.push_back(words[i + 1]);
      }
    }
  }
  return commands;
}

// What a training on devices also tells: parts of its step, and memory.
void add_parts(TrialRecord& record) {
  const double time_s = record.series.front().values.front();
  for (const auto& [metric, share] : {std::pair("forward_time_s", 0.3),
                                      std::pair("backward_time_s", 0.4),
                                      std::pair("exposed_communication_time_s", 0.1),
                                      std::pair("optimizer_time_s", 0.1),
                                      std::pair("data_time_s", 0.05),
                                      std::pair("other_time_s", 0.05)}) {
    record.series.push_back({.metric = metric,
                             .unit = "s",
                             .rank = {},
                             .warmup_n = 0,
                             .values = std::vector<double>(20, share * time_s)});
  }
  const bool has_memory = std::ranges::any_of(
      record.series, [](const SeriesRow& row) { return row.metric == "peak_bytes"; });
  if (!has_memory) {
    record.telemetry.push_back({"peak_bytes", 1e9, "bytes"});
  }
}

using FigureName = std::tuple<std::string, std::int64_t, std::string>;

struct Counts {
  std::size_t figures = 0;
  std::set<FigureName> compared;
  std::set<FigureName> uncompared;  // by no study, with a reason
  std::set<FigureName> silent;      // neither compared nor with a reason
  // By table and column: "`study`: `metric`" of each comparison of one of its figures.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> by_column;
};

std::map<std::string, Counts> count_all() {
  std::map<std::string, Counts> all;
  for (const Command& command : commands_of_page()) {
    Store store = Store::open_in_memory();
    const std::string file = kRoot + "studies/" + command.study + ".yaml";
    const std::int64_t id = test::fill_shipped(store, file, 0.0, add_parts);
    PublicationRow publication =
        read_import({kRoot + command.dataset, std::nullopt, {}, command.assumed}).at(0).publication;
    publication.study_id = id;
    store.put_publications({publication});
    test::analyse_stored(store, id, test::declare(scalestudy::read_file(file).value()));
    const std::vector<PublishedFigureRow> figures = store.publications(id).at(0).figures;
    const std::vector<CounterpartRow> found = store.results(id).counterparts;
    REQUIRE(found.size() == figures.size());
    Counts& counts = all[publication.source];
    counts.figures = figures.size();
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const FigureName name{
          figures[i].table_name, figures[i].row.value_or(0), figures[i].column_name};
      REQUIRE(found[i].figure_id == figures[i].id);
      if (found[i].cell_id) {
        CHECK_FALSE(found[i].metric.empty());
        counts.compared.insert(name);
        counts.by_column[{figures[i].table_name, figures[i].column_name}].insert(
            fmt::format("`{}`: `{}`", command.study, found[i].metric));
      } else if (found[i].reason.empty()) {
        counts.silent.insert(name);
      } else {
        counts.uncompared.insert(name);
      }
    }
  }
  for (auto& [source, counts] : all) {
    std::erase_if(counts.uncompared, [&counts = counts](const FigureName& name) {
      return counts.compared.contains(name);
    });
  }
  return all;
}

const std::map<std::string, Counts>& count_figures() {
  static const std::map<std::string, Counts> kCounts = count_all();
  return kCounts;
}

std::string page_text() {
  return scalestudy::read_file(kPage).value();
}

// The part of the page below the heading of that dataset.
std::string section_of(const std::string& dataset) {
  const std::string page = page_text();
  const std::size_t begin = page.find("\n## " + dataset + "\n");
  REQUIRE(begin != std::string::npos);
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

// The third cell of the row whose first two name the table and, among others, the column.
std::string row_of(const std::string& section,
                   const std::string& table,
                   const std::string& column) {
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);) {
    const std::string begin = "| " + table + " | ";
    if (!line.starts_with(begin)) {
      continue;
    }
    const std::size_t end = line.find(" | ", begin.size());
    const std::string columns = ", " + line.substr(begin.size(), end - begin.size()) + ",";
    if (columns.find(", " + column + ",") != std::string::npos) {
      return line.substr(end + 3);
    }
  }
  return "";
}

}  // namespace

// SCALESTUDY_UPDATE_GOLDEN=1 rewrites the counts: for a study that measures more, or a new dataset.
TEST_CASE("every published figure is compared or says why not", "[report]") {
  const std::string head =
      "| dataset | figures | compared | not compared, with the reason |\n"
      "| --- | ---: | ---: | ---: |\n";
  std::string table = head;
  for (const auto& [source, counts] : count_figures()) {
    CHECK(counts.silent.empty());
    CHECK(counts.compared.size() + counts.uncompared.size() == counts.figures);
    table += fmt::format("| {} | {} | {} | {} |\n",
                         source,
                         counts.figures,
                         counts.compared.size(),
                         counts.uncompared.size());
  }
  std::string page = page_text();
  const std::size_t begin = page.find(head);
  REQUIRE(begin != std::string::npos);
  const std::size_t size = page.find("\n\n", begin) + 1 - begin;

  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kPage) << page.replace(begin, size, table);
  } else {
    CHECK(page.substr(begin, size) == table);
  }
}

TEST_CASE("each column of the published tables has its counterpart on the page, or why not",
          "[report]") {
  for (const auto& [source, counts] : count_figures()) {
    const std::string section = section_of(source);
    const audit::Dataset dataset = audit::load_dataset(kRoot + "data/published/" + source);
    for (const audit::Table& table : dataset.tables) {
      for (const audit::Column& column : table.columns) {
        if (audit::find_quantity(column.declared.quantity)->is_condition) {
          continue;  // which run a row is about
        }
        const std::string row = row_of(section, table.name, column.name);
        const auto found = counts.by_column.find({table.name, column.name});
        const std::set<std::string> compared =
            found == counts.by_column.end() ? std::set<std::string>() : found->second;
        CAPTURE(source, table.name, column.name, row, compared);
        CHECK_FALSE(row.empty());
        CHECK(std::ranges::all_of(
            compared, [&](const std::string& one) { return row.find(one) != std::string::npos; }));
        CHECK((row.find("`: `") != std::string::npos) == !compared.empty());
      }
    }
  }
}

TEST_CASE("what the page of published figures names exists", "[report]") {
  const std::string schema = scalestudy::read_file(kRoot + "harness/store/SCHEMA.md").value();
  const std::string protocol =
      scalestudy::read_file(kRoot + "workloads/protocol/FORMAT.md").value();
  std::istringstream lines(page_text());
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t from = line.find('`'); line.starts_with("|") && from != std::string::npos;) {
      const std::size_t to = line.find('`', from + 1);
      const std::string name = line.substr(from + 1, to - from - 1);
      from = line.find('`', to + 1);
      const bool is_result = std::ranges::any_of(equal_quantities(), [&](const EqualQuantity& row) {
        return name == row.result || name.starts_with(std::string(row.result) + ":");
      });
      CAPTURE(name);
      CHECK((std::filesystem::exists(kRoot + "studies/" + name + ".yaml") || is_result ||
             find_metric(name) != nullptr ||
             schema.find("| `" + name + "` |") != std::string::npos ||
             schema.find(name.substr(0, name.find(':'))) != std::string::npos ||
             protocol.find("`" + name + "`") != std::string::npos));
    }
  }
}
