// Parts of study files in the documents: completed by what every file needs, each fits the schema,
// and those of the how-to pages that have axes are valid studies.
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "tests/study/study_schema.h"
#include "tests/study/study_text.h"
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

// Page and fragment, of all pages in a folder and below it.
std::vector<std::pair<std::string, std::string>> fragments_below(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".md") {
      for (const std::string& fragment : fragments_of(test::read_file(entry.path()))) {
        found.emplace_back(entry.path().string(), fragment);
      }
    }
  }
  return found;
}

// The fragment with those of the keys that it lacks.
std::string completed(std::string fragment,
                      const std::vector<std::pair<std::string, std::string>>& keys) {
  const YAML::Node node = YAML::Load(fragment);
  for (const auto& [key, value] : keys) {
    fragment += node[key] ? "" : key + ": " + value + "\n";
  }
  return fragment;
}

// What the schema has against a fragment, "" if it fits a study of some workload.
std::string problems_of(const std::string& fragment) {
  std::string problems;
  for (const std::string workload : {"train", "collective", "command"}) {
    std::string text =
        completed(fragment, {{"version", "1"}, {"study", "fragment"}, {"workload", workload}});
    if (YAML::Load(text)["workload"].Scalar() == "command") {
      text = completed(text, {{"command", "[program]"}});
    }
    const std::string told = test::schema_problems(text);
    if (told.empty()) {
      return "";
    }
    problems += workload + ": " + told;
  }
  return problems;
}

// A command that uses the axes: "[program, '{level}']".
std::string command_of(const YAML::Node& axes) {
  std::string words = "program";
  for (const auto& axis : axes) {
    const auto name = axis.first.as<std::string>();
    words += name.starts_with("env.") ? "" : ", '{" + name + "}'";
  }
  return "[" + words + "]";
}

// What `validate` has against a fragment with axes, "" if the keys that it lacks make it a study.
// Parameters that it gives have to be all that its cells need.
std::string cell_problems_of(const std::string& fragment) {
  const YAML::Node node = YAML::Load(fragment);
  std::vector<std::string> workloads = {"train", "collective"};
  std::vector<std::string> parameters = {"{}"};
  if (!node["parameters"]) {
    workloads.emplace_back("command");
    parameters = {"{}",
                  "{backend: cuda}",
                  "{backend: cuda, batch_global: 64}",
                  "{backend: cuda, batch_global: 64, devices: 2}"};
  }
  std::string problems;
  for (const std::string& workload : workloads) {
    for (const std::string& given : parameters) {
      std::string text = completed(
          fragment,
          {{"version", "1"}, {"study", "fragment"}, {"workload", workload}, {"parameters", given}});
      if (workload == "command") {
        text = completed(text, {{"command", command_of(node["axes"])}});
      }
      const std::string told = test::problems_of(text);
      if (told.empty()) {
        return "";
      }
      problems += told;
    }
  }
  return problems;
}

}  // namespace

TEST_CASE("every fragment of a study file in the documents fits the schema", "[docs]") {
  for (const auto& [page, fragment] : fragments_below(SCALESTUDY_SOURCE_DIR "/docs")) {
    CAPTURE(page, fragment);
    CHECK(problems_of(fragment).empty());
  }
}

TEST_CASE("every fragment with axes in a how-to page is a study with the keys that it lacks",
          "[docs]") {
  for (const auto& [page, fragment] : fragments_below(SCALESTUDY_SOURCE_DIR "/docs/how-to")) {
    if (YAML::Load(fragment)["axes"]) {
      const std::string problems = cell_problems_of(fragment);
      CAPTURE(page, fragment, problems);
      CHECK(problems.empty());
    }
  }
}

TEST_CASE("a fragment whose cells cannot be, or lack a parameter, is no study", "[docs]") {
  CHECK(cell_problems_of("axes: {devices: [1, 2]}\n").empty());
  CHECK(cell_problems_of("axes: {level: [1, 9]}\n").empty());
  CHECK_FALSE(cell_problems_of("axes: {devices: [1, 2]}\nzip: [{nodes: 1}, {nodes: 2}]\n").empty());
  CHECK_FALSE(cell_problems_of("parameters: {backend: cuda}\naxes: {env.NCCL_ALGO: [Ring, Tree]}\n")
                  .empty());
}

TEST_CASE("a fragment with a wrong key does not fit the schema", "[docs]") {
  const std::vector<std::string> fragments = fragments_of(
      "```yaml title=\"fragment\"\ntrials: {count: 3}\n```\n```yaml\nx: 1\n```\n"
      "```yaml title=\"fragment\"\ntrials: {counts: 3}\n```\n");

  REQUIRE(fragments.size() == 2);
  CHECK(problems_of(fragments[0]).empty());
  CHECK_FALSE(problems_of(fragments[1]).empty());
}
