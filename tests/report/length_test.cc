// How long reports are, and how often they say the same: a person would print the first page.
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/report/template/pages.h"
#include "tests/report/sample_study.h"
#include "tests/report/shipped_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

Pages pages_of(const fs::path& study) {
  const ReportInput input = test::run_shipped(study);
  return split_pages(test::render_kind(input, input.declared.report_template));
}

Pages shipped_pages(const std::string& name) {
  return pages_of(shared_file("studies") / (name + ".yaml"));
}

std::size_t words(const std::string& text) {
  std::istringstream stream(text);
  std::size_t count = 0;
  for (std::string word; stream >> word;) {
    ++count;
  }
  return count;
}

using Table = std::vector<std::vector<std::string>>;  // rows of cells, the head and its rule first

std::vector<Table> tables(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::vector<Table> all;
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) {
      is_inside = false;
      continue;
    }
    if (!is_inside) {
      all.emplace_back();
    }
    is_inside = true;
    std::vector<std::string>& row = all.back().emplace_back();
    std::string cell;
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line[i] == '|' && line[i - 1] != '\\') {
        row.push_back(cell);
        cell.clear();
      } else {
        cell += line[i];
      }
    }
  }
  return all;
}

// The value with an interval that the text has most often, and how often.
std::pair<std::string, int> most_repeated(const std::string& text) {
  const std::regex value(R"(([0-9][0-9.,]*)(x| %)? \[[-0-9])");
  std::map<std::string, int> counts;
  for (std::sregex_iterator at(text.begin(), text.end(), value), end; at != end; ++at) {
    ++counts[(*at)[1]];
  }
  std::pair<std::string, int> most;
  for (const auto& [number, count] : counts) {
    most = count > most.second ? std::pair(number, count) : most;
  }
  return most;
}

TEST_CASE("the report of ten cells has at most 1,200 words and three tables", "[report]") {
  const Pages pages = shipped_pages("quickstart");

  INFO(pages.report);
  CHECK(words(pages.report) <= 900);
  CHECK(tables(pages.report).size() <= 3);
  CHECK(words(pages.details) <= 3500);
}

// Studies of up to 80 cells; those that ask again what a published report answered are five.
TEST_CASE("the report of each shipped study has at most 1,800 words, of a seed 1,700", "[report]") {
  const std::set<std::string> seeds = {"image-scaling-256",
                                       "llm-platform",
                                       "mlp-4096-batch",
                                       "resnet-strong-scaling",
                                       "small-mlp-second-device"};
  std::size_t studies = 0;
  std::size_t found_seeds = 0;
  for (const auto& entry : fs::directory_iterator(shared_file("studies"))) {
    if (scalestudy::read_file(entry.path()).value().find("\nsearch:") != std::string::npos) {
      continue;  // its trials are chosen as it goes: tests/cli/run/search_test.cc
    }
    const Pages pages = pages_of(entry.path());
    const bool is_seed = seeds.contains(entry.path().stem().string());
    INFO(entry.path());
    CHECK(words(pages.report) <= (is_seed ? 1700 : 1800));
    CHECK(!pages.details.empty());
    ++studies;
    found_seeds += is_seed ? 1 : 0;
  }
  CHECK(studies >= 10);
  CHECK(found_seeds == seeds.size());
}

TEST_CASE("a report says a number at most four times, with its details eight", "[report]") {
  const Pages pages = shipped_pages("quickstart");
  const auto in_report = most_repeated(pages.report);
  const auto in_both = most_repeated(pages.report + pages.details);

  INFO(in_report.first << ", " << in_both.first);
  CHECK(in_report.second <= 4);
  CHECK(in_both.second <= 8);
}

TEST_CASE("no column of a table has one value in all of three rows or more", "[report]") {
  for (const char* name : {"quickstart", "image-scaling-256", "llm-platform"}) {
    const Pages pages = shipped_pages(name);
    for (const Table& table : tables(pages.report + pages.details)) {
      if (table[0].size() <= 2) {
        continue;  // a list of names and values
      }
      for (std::size_t column = 0; table.size() >= 5 && column < table[0].size(); ++column) {
        std::set<std::string> values;
        for (std::size_t row = 2; row < table.size(); ++row) {
          values.insert(table[row].at(column));
        }
        INFO(name << ": " << table[0][column] << " " << *values.begin());
        CHECK(values.size() > 1);
      }
    }
  }
}

TEST_CASE("sections without a finding are left out", "[report]") {
  const Pages pages = shipped_pages("quickstart");

  for (const char* heading : {"## Scaling laws",
                              "## First principles",
                              "## What takes a device's memory",
                              "## How much communication is hidden",
                              "## Targets",
                              "## At a glance"}) {
    INFO(heading);
    CHECK_THAT(pages.details, !Contains(heading));
  }
  CHECK_THAT(pages.details, Contains("## Results") && Contains("## How it was measured"));
}

TEST_CASE("a law that was refused is named with the reason, however few its points are",
          "[report]") {
  ReportInput input = test::read_sample();
  input.results.laws.push_back(input.results.laws.front());
  for (LawRow& law : input.results.laws) {
    law.levels = 2;
    law.status = RowStatus::kNotApplicable;
    law.finding = "the law is about strong scaling";
  }
  const auto page = [&] { return test::render_kind(input, "scaling"); };
  const std::string refused = "- **a scaling law (Amdahl):** the law is about strong scaling.\n";
  CHECK_THAT(page(), Contains(refused) && !Contains("it needs trials at 3 device counts"));

  input.results.laws.back().law = Law::kUsl;
  input.results.laws.back().status = RowStatus::kOk;
  CHECK_THAT(page(),
             Contains(refused) &&
                 Contains("- **a scaling law (USL):** it needs trials at 3 device counts"));
}

TEST_CASE("a law of three device counts has its section, as have volumes that are off",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto page = [&] { return test::render_kind(input, "scaling"); };
  REQUIRE(!input.results.laws.empty());
  const std::string lacking =
      "- **a scaling law (Amdahl):** it needs trials at 3 device counts or more, with all else "
      "equal; this study has them at 2.\n";
  CHECK_THAT(page(), Contains("## Scaling laws") && !Contains("**a scaling law"));
  for (LawRow& law : input.results.laws) {
    law.levels = 2;
  }
  CHECK_THAT(page(), !Contains("## Scaling laws") && Contains(lacking));
  input.is_full = true;
  CHECK_THAT(page(), Contains("## Scaling laws") && !Contains("**a scaling law"));
  input.is_full = false;

  VolumeRow& volume = input.results.volumes.emplace_back();
  volume.cell_id = input.cells.front().id;
  volume.quantity = "traffic_bytes";
  volume.ratio = 1.004;
  CHECK_THAT(page(), !Contains("## First principles"));
  volume.ratio = 1.02;
  CHECK_THAT(page(), Contains("## First principles"));
}

}  // namespace
