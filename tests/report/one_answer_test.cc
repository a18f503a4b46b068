// One page gives one answer: no place of a report contradicts another, on made-up studies near the
// edge of what they can tell, and on reports of fixed stores.
#include <algorithm>
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
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    reports.push_back(test::simulated_report(seed));
  }
  // The most that the change makes of any report.
  const auto change = [&](const std::string& path, const std::string& from, const std::string& to) {
    std::size_t most = 0;
    for (std::map<std::string, std::string> files : reports) {
      const std::size_t at = files.at(path).find(from);
      if (at != std::string::npos) {
        files.at(path).replace(at, from.size(), to);
        most = std::max(most, test::contradictions(files).size());
      }
    }
    return most;
  };

  CHECK(change("report.md", "| faster |", "| slower |") > 0);
  CHECK(change("report.md", "the gain is not certain", "the gain is certain") > 0);
  CHECK(change("report.md", "faster in 2,", "faster in 3,") > 0);
  CHECK(change("report.md", "(not after adjustment)", "") > 0);
  CHECK(change("data/speedups.csv", ",slower,", ",faster,") > 0);
  CHECK(change("results.json", "\"verdict\":\"missed\"", "\"verdict\":\"met\"") > 0);
  CHECK(change("results.json", "\"status\":\"crossed\"", "\"status\":\"always\"") > 0);
}
