// Formats that only `query` has: LaTeX for a paper, OpenMetrics for a monitoring system; the table
// of sides, and the text of a history.
#include "harness/base/error.h"
#include "harness/cli/results/history_text.h"
#include "harness/cli/results/query_formats.h"
#include "harness/cli/results/side_by_side.h"
#include "tests/support/catch.h"

using scalestudy::latex_table;
using scalestudy::openmetrics;
using scalestudy::QueryResult;

namespace {

QueryResult answer() {
  return {.columns = {"label", "n", "step_time_s"},
          .rows = {{std::string("50 % & a_b\\"), std::int64_t{5}, 0.0123456789},
                   {std::string("say \"x\""), std::int64_t{4}, {}}}};
}

}  // namespace

TEST_CASE("a table for LaTeX shows texts literally and numbers to the right", "[cli]") {
  CHECK(latex_table(answer()) ==
        "\\begin{tabular}{lrr}\n\\toprule\nlabel & n & step\\_time\\_s \\\\\n\\midrule\n"
        "50 \\% \\& a\\_b\\textbackslash{} & $5$ & $0.0123457$ \\\\\n"
        "say \"x\" & $4$ & -- \\\\\n\\bottomrule\n\\end{tabular}\n");
  CHECK(latex_table({.columns = {"a"}, .rows = {}}) ==
        "\\begin{tabular}{l}\n\\toprule\na \\\\\n\\midrule\n\\bottomrule\n\\end{tabular}\n");
}

TEST_CASE("small and large numbers, brackets and comparisons mean the same in LaTeX", "[cli]") {
  CHECK(
      latex_table({.columns = {"ci", "x"},
                   .rows = {{std::string("[1, 2]"), 1.25e-7}, {std::string("a<b"), 1234567.0}}}) ==
      "\\begin{tabular}{lr}\n\\toprule\nci & x \\\\\n\\midrule\n"
      "{}[1, 2] & $1.25 \\times 10^{-7}$ \\\\\n"
      "a$<$b & $1.23457 \\times 10^{6}$ \\\\\n\\bottomrule\n\\end{tabular}\n");
}

TEST_CASE("OpenMetrics has a gauge for each column of numbers, and texts as labels", "[cli]") {
  CHECK(openmetrics(answer()) ==
        "# TYPE scalestudy_n gauge\n"
        "scalestudy_n{label=\"50 % & a_b\\\\\"} 5\n"
        "scalestudy_n{label=\"say \\\"x\\\"\"} 4\n"
        "# TYPE scalestudy_step_time_s gauge\n"
        "scalestudy_step_time_s{label=\"50 % & a_b\\\\\"} 0.0123456789\n"
        "# EOF\n");
  CHECK(openmetrics({.columns = {"n"}, .rows = {}}) == "# EOF\n");
}

TEST_CASE("rows that labels do not tell apart, and unnamed columns, are no OpenMetrics", "[cli]") {
  QueryResult twice = answer();
  twice.rows[1][0] = twice.rows[0][0];
  CHECK_THROWS_WITH(openmetrics(twice), Catch::Contains("two rows have the same texts"));
  CHECK_THROWS_WITH(openmetrics({.columns = {"avg(step_time_s)"}, .rows = {{1.0}}}),
                    Catch::Contains("name it by AS"));
  CHECK_THROWS_WITH(openmetrics({.columns = {"2x"}, .rows = {{std::string("a")}}}),
                    Catch::Contains("'2x' cannot be the name"));
  CHECK_THROWS_WITH(openmetrics({.columns = {"n", "n"}, .rows = {{1.0, 2.0}}}),
                    Catch::Contains("two columns are named 'n'"));
}

TEST_CASE("the second of two columns with one name is numbered in JSON and CSV", "[cli]") {
  const QueryResult twice{.columns = {"a", "a"}, .rows = {{std::int64_t{1}, std::int64_t{2}}}};
  CHECK(scalestudy::format_table(twice, scalestudy::Format::kCsv) == "a,a_2\n1,2\n");
  CHECK_THAT(scalestudy::format_table(twice, scalestudy::Format::kJson),
             Catch::Contains("\"a\": 1,") && Catch::Contains("\"a_2\": 2\n"));
}

TEST_CASE("a row of one NULL is no blank line of CSV", "[cli]") {
  CHECK(scalestudy::format_table({.columns = {"v"}, .rows = {{scalestudy::Field()}}},
                                 scalestudy::Format::kCsv) == "v\n\"\"\n");
}

TEST_CASE("of the last four sessions no history says that nothing changed", "[cli]") {
  scalestudy::History history;
  history.steady.resize(1);
  history.steady[0].devices = 2;
  CHECK(scalestudy::history_text({}, history, scalestudy::Format::kTable) ==
        "No change found before the last 4 sessions: 2 devices.\n");
}

TEST_CASE("a history names the cells that make no claim by the reason", "[cli]") {
  using scalestudy::Verdict;
  scalestudy::History history;
  history.no_claim[Verdict::kSoftwareType].resize(1);
  history.no_claim[Verdict::kSoftwareType][0].devices = 2;
  history.no_claim[Verdict::kNoClaim].resize(1);
  history.no_claim[Verdict::kNoClaim][0].devices = 4;
  CHECK(scalestudy::history_text({}, history, scalestudy::Format::kTable) ==
        "No performance claim (oversubscribed): 4 devices.\n"
        "No performance claim (16 bits in software): 2 devices.\n");
}

TEST_CASE("rows of sides for programs say that times do not vary", "[cli]") {
  scalestudy::SidePair still;
  still.speedup.verdict = scalestudy::Verdict::kNotEnoughData;
  still.speedup.status = scalestudy::RowStatus::kZeroVariance;

  const std::string rows = scalestudy::format_pairs({still}, scalestudy::Format::kCsv);
  CHECK_THAT(rows, Catch::Contains(",verdict,status\n"));
  CHECK_THAT(rows, Catch::EndsWith(",not enough data,zero_variance\n"));
}

TEST_CASE("sides are told at the levels of all rows, and which verdict adjustment opened",
          "[cli]") {
  using scalestudy::Verdict;
  scalestudy::SidePair open;
  open.against = "old";
  open.speedup.value = 1.026;
  open.speedup.lo = 1.003;
  open.speedup.hi = 1.050;
  open.speedup.confidence = 0.98113957;
  open.speedup.verdict = Verdict::kNoDetectableDifference;
  scalestudy::SidePair decided = open;
  decided.speedup.confidence = 0.98456055;
  decided.speedup.verdict = Verdict::kFaster;

  const std::string text = scalestudy::format_pairs({open, decided}, scalestudy::Format::kMarkdown);
  CHECK_THAT(text, Catch::Contains("| no significant difference (not after adjustment) |"));
  CHECK_THAT(text, Catch::Contains("Intervals (98.11 to 98.46 %) and verdicts (margin "));
  CHECK_THAT(text, Catch::Contains(" are over trials.") && Catch::Contains("| trials each |"));

  // From five sessions on their means are paired.
  open.speedup.method = decided.speedup.method = scalestudy::RatioMethod::kSessions;
  const std::string nights =
      scalestudy::format_pairs({open, decided}, scalestudy::Format::kMarkdown);
  CHECK_THAT(nights,
             Catch::Contains(" are over sessions.") && Catch::Contains("| sessions each |"));
}
