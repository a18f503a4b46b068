// Parts of study files in the documents: completed by what every file needs, each fits the schema.
#include <array>
#include <filesystem>
#include <sstream>

#include "tests/study/study_schema.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
namespace fs = std::filesystem;

namespace {

// The blocks of a page that begin with ```yaml title="fragment".
std::vector<std::string> fragments_of(const std::string& page) {
  std::istringstream lines(page);
  std::vector<std::string> found;
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```yaml title=\"fragment\"") {
      is_inside = true;
      found.emplace_back();
    } else if (line.starts_with("```")) {
      is_inside = false;
    } else if (is_inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

// What the schema has against a fragment, "" if it fits a study of some workload.
std::string problems_of(const std::string& fragment) {
  const YAML::Node node = YAML::Load(fragment);
  std::string problems;
  for (const std::string workload : {"train", "collective", "command"}) {
    std::string text = fragment;
    const auto complete = [&](const std::string& key, const std::string& value) {
      text += node[key] ? "" : key + ": " + value + "\n";
    };
    complete("version", "1");
    complete("study", "fragment");
    complete("workload", workload);
    if (YAML::Load(text)["workload"].Scalar() == "command") {
      complete("command", "[program]");
    }
    const std::string told = test::schema_problems(text);
    if (told.empty()) {
      return "";
    }
    problems += workload + ": " + told;
  }
  return problems;
}

}  // namespace

TEST_CASE("every fragment of a study file in the documents fits the schema", "[docs]") {
  for (const auto& entry : fs::recursive_directory_iterator(SCALESTUDY_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") {
      for (const std::string& fragment : fragments_of(test::read_file(entry.path()))) {
        CAPTURE(entry.path(), fragment);
        CHECK(problems_of(fragment).empty());
      }
    }
  }
}

TEST_CASE("a fragment with a wrong key does not fit the schema", "[docs]") {
  const std::vector<std::string> fragments = fragments_of(
      "```yaml title=\"fragment\"\ntrials: {count: 3}\n```\n```yaml\nx: 1\n```\n"
      "```yaml title=\"fragment\"\ntrials: {counts: 3}\n```\n");

  REQUIRE(fragments.size() == 2);
  CHECK(problems_of(fragments[0]).empty());
  CHECK_FALSE(problems_of(fragments[1]).empty());
}
