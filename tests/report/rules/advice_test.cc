// The page about warnings has a section for each kind, which reports repeat and link to.
#include "harness/report/rules/advice.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "harness/report/report.h"
#include "harness/store/store.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

std::set<std::string> headings_of_kinds() {
  std::set<std::string> headings;
  for (std::size_t i = 0; i < words_of<ThreatKind>().size(); ++i) {
    headings.insert(threat_heading(static_cast<ThreatKind>(i)));
  }
  return headings;
}

// Anchors of the headings of a page, as GitHub and HTML make them.
std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> anchors;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) {
      std::string anchor = line.substr(line.find(' ') + 1);
      std::erase(anchor, ':');
      std::ranges::replace(anchor, ' ', '-');
      std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
      });
      anchors.insert(anchor);
    }
  }
  return anchors;
}

}  // namespace

TEST_CASE("the page about warnings has one section for each kind of threat, and no other",
          "[advice]") {
  const auto sections =
      read_advice(test::read_file(SCALESTUDY_SOURCE_DIR "/docs/how-to/warnings.md"));
  std::set<std::string> headings;
  for (const auto& [heading, text] : sections) {
    headings.insert(heading);
    // What happened, what it does to the answer, what to do: a sentence a line.
    INFO(heading);
    CHECK(std::ranges::count(text, '\n') == 3);
  }
  CHECK(headings == headings_of_kinds());
}

TEST_CASE("a warning of the first screen links to what to do about it", "[advice]") {
  Store store = Store::open_in_memory();
  const ReportFiles files =
      render_report(store, test::sample_request(test::fill_sample(store, {})));
  std::string pages;
  for (const auto& [name, text] : files) {
    pages += name.ends_with(".md") ? text : "";
  }
  const std::set<std::string> anchors = anchors_of(pages);

  const std::string link = "[What to do](";
  std::size_t links = 0;
  for (std::size_t at = pages.find(link); at != std::string::npos; at = pages.find(link, at + 1)) {
    const std::size_t begin = pages.find('#', at) + 1;
    const std::string anchor = pages.substr(begin, pages.find(')', begin) - begin);
    INFO(anchor);
    CHECK(anchors.contains(anchor));
    ++links;
  }
  CHECK(links > 0);
  CHECK(pages.find(advice_on(ThreatKind::kForeignLoad)) != std::string::npos);
}

// Reports leave out the first line, and put what they found in its place.
TEST_CASE("what a warning does to the answer is said without a word for the line above it",
          "[advice]") {
  for (std::size_t i = 0; i < words_of<ThreatKind>().size(); ++i) {
    const std::string advice = advice_on(static_cast<ThreatKind>(i));
    INFO(advice);
    CHECK(!std::set<std::string>{"It", "Its", "They", "Their", "That", "Those", "These", "This"}
               .contains(advice.substr(0, advice.find(' '))));
  }
}

TEST_CASE("the advice in a report has no link to a page that is not beside it", "[advice]") {
  for (std::size_t i = 0; i < words_of<ThreatKind>().size(); ++i) {
    const std::string advice = advice_on(static_cast<ThreatKind>(i));
    INFO(advice);
    CHECK(!advice.empty());
    CHECK(advice.find("](") == std::string::npos);
  }
  CHECK(advice_on(ThreatKind::kPrintedRates)
            .ends_with("\nFind out which is wrong, then correct it, or rename the metric.\n"));
}
