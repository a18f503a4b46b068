// FORMAT.md is true: its example parses, and its numbers are the program's.
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/catch.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/writer.h"

using namespace scalestudy::protocol;

namespace {

std::string read_page() {
  std::ifstream file(SCALESTUDY_SOURCE_DIR "/workloads/protocol/FORMAT.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string example(const std::string& page) {
  const std::string fence = "```json\n";
  const std::size_t begin = page.find(fence) + fence.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = 3; place < text.size(); place += 4) {
    text.insert(text.size() - place, ",");
  }
  return text;
}

}  // namespace

TEST_CASE("the example of the format page is a complete record", "[protocol]") {
  const Record record = parse_record(example(read_page()));

  CHECK(record.problems.empty());
  CHECK(record.unknown.empty());
  CHECK_FALSE(record.truncated);
  REQUIRE(record.events.size() == 7);
  const auto& start = std::get<Start>(record.events[0]);
  CHECK(start.ranks == 2);
  CHECK(start.parameters.at("batch_global") == "64");
  CHECK(start.facts.at("parameter_count") == 258432.0);
  const auto& rank_1 = std::get<Samples>(record.events[3]);
  CHECK(rank_1.rank == 1);
  CHECK(rank_1.warmup == 1);
  CHECK(rank_1.values == std::vector<double>{0.0119, 0.0078, 0.008});
  CHECK(std::get<End>(record.events[6]).ok);
}

TEST_CASE("the writer writes the lines of the format page", "[protocol]") {
  std::istringstream lines(example(read_page()));
  std::string line;
  std::getline(lines, line);  // start: our writer writes its parameters as text
  const Record record = parse_record(example(read_page()));

  for (std::size_t i = 1; std::getline(lines, line); ++i) {
    CHECK(format_event(record.events.at(i)) == line);
  }
}

TEST_CASE("the format page names the limits and exit codes of the program", "[protocol]") {
  const std::string page = read_page();
  const ReadLimits limits;

  CHECK_THAT(page, Catch::Contains(std::to_string(limits.line_bytes >> 20U) + " MiB in a line"));
  CHECK_THAT(page,
             Catch::Contains(std::to_string(limits.file_bytes >> 30U) + " GiB or " +
                             with_commas(limits.lines) + " lines"));
  CHECK_THAT(page, Catch::Contains(with_commas(limits.values) + " values"));
  CHECK_THAT(page, Catch::Contains(with_commas(static_cast<std::size_t>(limits.ranks)) + " ranks"));
  CHECK_THAT(page, Catch::Contains(with_commas(limits.metrics) + " metrics in the file"));
  CHECK(limits.members == limits.metrics);  // one row of the page names both
  CHECK_THAT(page, Catch::Contains(with_commas(limits.text_bytes) + " bytes of a `detail`"));
  CHECK_THAT(page, Catch::Contains("| " + std::to_string(kExitOk) + " | the record"));
  CHECK_THAT(page, Catch::Contains("| " + std::to_string(kExitFailed) + " | failed"));
  CHECK_THAT(page, Catch::Contains("| " + std::to_string(kExitUsage) + " | a parameter"));
  CHECK_THAT(page, Catch::Contains("| " + std::to_string(kExitUnsupported) + " | this machine"));
  CHECK_THAT(page, Catch::Contains("| " + std::to_string(kExitOutOfMemory) + " | out of"));
}
