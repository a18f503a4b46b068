// One page gives one answer: no place of a report contradicts another, on made-up studies near the
// edge of what they can tell, and on reports of fixed stores.
#include <map>
#include <string>
#include <vector>

#include "tests/report/contradictions.h"
#include "tests/report/sample_study.h"
#include "tests/report/simulated_studies.h"
#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("reports of simulated studies do not contradict themselves", "[report]") {
  test::SaidTally tally;
  for (std::uint64_t seed = 1; seed <= 65; ++seed) {  // the search of 65 adds less than it may
    test::add_simulated_study(seed, true, tally);
  }

  std::string found;
  for (const auto& [what, count] : tally.contradictions) {
    found += what + "\n";
  }
  INFO(found);
  CHECK(tally.contradictions.empty());
  CHECK(tally.resolved == tally.by_holm);
  CHECK(tally.resolved > 0);
}

TEST_CASE("a contradiction in any place of a report is found", "[report]") {
  std::vector<std::map<std::string, std::string>> reports;
  // Whether the change makes one of 40 reports contradict itself.
  const auto is_found =
      [&](const std::string& path, const std::string& from, const std::string& to) {
        for (std::size_t i = 0; i < 40; ++i) {
          if (i == reports.size()) {
            reports.push_back(test::simulated_report(i + 1));
          }
          std::map<std::string, std::string> files = reports[i];
          const std::size_t at = files.at(path).find(from);
          if (at != std::string::npos) {
            files.at(path).replace(at, from.size(), to);
            if (!test::contradictions(files).empty()) {
              return true;
            }
          }
        }
        return false;
      };

  CHECK(is_found("report.md", "| faster |", "| slower |"));
  CHECK(is_found("report.md", "the gain is not certain", "the gain is certain"));
  CHECK(is_found("report.md", "faster in 2,", "faster in 3,"));
  CHECK(is_found("report.md", "(not after adjustment)", ""));
  CHECK(is_found("data/speedups.csv", ",slower,", ",faster,"));
  CHECK(is_found("results.json", "\"verdict\":\"missed\"", "\"verdict\":\"met\""));
  CHECK(is_found("results.json", "\"status\":\"crossed\"", "\"status\":\"always\""));
}
