// Simulated studies near the edge of what they can tell: how often is what a report says wrong, and
// does a report ever contradict itself? One argument: the number of studies, 2000 by default.
// Folders of reports instead: these alone are read.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/report/contradictions.h"
#include "tests/report/simulated_studies.h"

namespace {

void print(const char* what, const scalestudy::test::Tally& tally, double least, double most) {
  const bool holds = tally.total == 0 || (tally.share() >= least && tally.share() <= most);
  fmt::print("one_answer: {}: {:.2f} % of {}{}\n",
             what,
             tally.total == 0 ? 0.0 : 100.0 * tally.share(),
             tally.total,
             holds ? "" : "  FAILED");
}

// The contradictions in a report's folder, printed.
std::size_t read_report(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string kind = entry.path().extension().string();
    if (entry.is_regular_file() && (kind == ".md" || kind == ".csv" || kind == ".json")) {
      std::ifstream file(entry.path());
      files[std::filesystem::relative(entry.path(), folder).string()] = {
          std::istreambuf_iterator<char>(file), {}};
    }
  }
  const std::vector<std::string> found = scalestudy::test::contradictions(files);
  for (const std::string& one : found) {
    fmt::print("one_answer: {}: {}\n", folder.string(), one);
  }
  return found.size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::filesystem::is_directory(argv[1])) {
    std::size_t found = 0;
    for (int i = 1; i < argc; ++i) {
      found += read_report(argv[i]);
    }
    fmt::print("one_answer: {} contradictions in {} reports\n", found, argc - 1);
    return found == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  const std::uint64_t studies = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  scalestudy::test::SaidTally tally;
  for (std::uint64_t seed = 1; seed <= studies; ++seed) {
    scalestudy::test::add_simulated_study(seed, true, tally);
  }
  constexpr double most_wrong = 0.055;
  print("two cells a problem, some verdict wrong", tally.wrong_of_two, 0.0, most_wrong);
  print(
      "three or more, some verdict wrong or a best dropped", tally.wrong_of_more, 0.0, most_wrong);
  print("questions with a target wrongly decided", tally.wrong_targets, 0.0, most_wrong);
  print("the true best is kept", tally.kept_best, 0.95, 1.0);
  print("sets of break-evens hold the truth", tally.covered, 0.95, 1.0);
  print("the same with slow launches", tally.covered_if_slow, 0.0, 1.0);
  fmt::print(
      "one_answer: {} verdicts of two cells resolved, {} by Holm\n", tally.resolved, tally.by_holm);
  for (const auto& [what, count] : tally.contradictions) {
    fmt::print("one_answer: contradiction: {}\n", what);
  }
  fmt::print(
      "one_answer: {} contradictions in {} studies\n", tally.contradictions.size(), tally.studies);
  const bool is_sound = tally.contradictions.empty() && tally.resolved == tally.by_holm &&
                        tally.wrong_of_two.share() <= most_wrong &&
                        tally.wrong_of_more.share() <= most_wrong &&
                        tally.kept_best.share() >= 0.95 && tally.covered.share() >= 0.95;
  return is_sound ? EXIT_SUCCESS : EXIT_FAILURE;
}
