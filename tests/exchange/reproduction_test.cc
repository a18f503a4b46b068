// What reproduces, what does not, and what nobody knows.
#include "harness/exchange/reproduction.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

const std::string kGolden = SCALESTUDY_SOURCE_DIR "/tests/golden/scaling";

std::string speedups(const std::string& verdict) {
  return "cell,label,baseline_cell,baseline,quantity,value,lo,hi,verdict\n"
         "c2,devices=2,c1,devices=1,speedup,1.5,1.4,1.6," +
         verdict + "\nc2,devices=2,c1,devices=1,efficiency,0.75,0.7,0.8," + verdict + "\n";
}

std::string metric(const std::string& verdict) {
  return "cell,label,baseline_cell,baseline,quantity,value,lo,hi,verdict\n"
         "c2,size=2,c1,size=1,tok_per_s,2,1.9,2.1," +
         verdict + "\n";
}

// A search among v=1 (the default), 2 and 4, in which v=1 is c1.
// - roles: of v=2 and v=4
// - use: the cell that is recommended; "" for none
// - gain: the verdict of the winner against the default
// - beside: that of the other cell against the winner; "" if it was not measured on fresh blocks
ReportTables search(const std::array<std::string, 2>& roles,
                    const std::string& use,
                    const std::string& gain,
                    const std::string& beside = "") {
  const std::string winner = roles[0] == "winner" ? "c2" : "c4";
  const std::string other = winner == "c2" ? "c4" : "c2";
  std::string settings = "cell,label,quantity,role,is_recommended\n";
  for (const auto& [cell, label, role] : {std::tuple("c1", "v=1", std::string("default")),
                                          std::tuple("c2", "v=2", roles[0]),
                                          std::tuple("c4", "v=4", roles[1])}) {
    settings += std::string(cell) + "," + label + ",tok_per_s," + role + "," +
                (cell == use ? "1\n" : "0\n");
  }
  const std::string columns = "cell,label,baseline_cell,baseline,quantity,value,lo,hi,verdict\n";
  const std::string fresh = other + ",v," + winner + ",v,against_winner,1,0.9,1.1," + beside + "\n";
  return {{"search.csv", settings},
          {"metrics.csv", columns + winner + ",v,c1,v=1,tok_per_s,2,1.9,2.1," + gain + "\n"},
          {"speedups.csv", beside.empty() ? columns : columns + fresh}};
}

// What becomes of the setting that the search recommended there.
Reproduction searched(const ReportTables& there, const ReportTables& here) {
  const auto compared = compare_statements(read_statements(there), read_statements(here));
  REQUIRE(compared.size() == 2);
  return compared[1];
}

std::string threshold(const std::string& status, const std::string& places) {
  return "metric,level,along,group_label,status,bracket_lo,bracket_hi,estimate,lo,hi\n"
         "speedup,1,batch_global,devices=2," +
         status + "," + places + "\n";
}

std::string target(const std::string& verdict) {
  return "target,cell,label,value,lo,hi,verdict\n\"pays, they say\",,,,,," + verdict + "\n";
}

ReproductionOutcome outcome(const std::string& table,
                            const std::string& there,
                            const std::string& here) {
  const auto compared =
      compare_statements(read_statements({{table, there}}), read_statements({{table, here}}));
  REQUIRE(compared.size() == 1);
  return compared[0].outcome;
}

}  // namespace

TEST_CASE("a verdict reproduces when the same is decided here", "[exchange]") {
  const auto of = [](const std::string& there, const std::string& here) {
    return outcome("speedups.csv", speedups(there), speedups(here));
  };

  CHECK(of("faster", "faster") == ReproductionOutcome::kReproduced);
  CHECK(of("equivalent", "equivalent") == ReproductionOutcome::kReproduced);
  CHECK(of("faster", "slower") == ReproductionOutcome::kNotReproduced);
  CHECK(of("faster", "equivalent") == ReproductionOutcome::kNotReproduced);
  CHECK(of("faster", "no significant difference") == ReproductionOutcome::kUndecided);
  CHECK(of("faster", "not enough data") == ReproductionOutcome::kUndecided);
  CHECK(of("no significant difference", "no significant difference") ==
        ReproductionOutcome::kUndecided);
  CHECK(of("no performance claim (oversubscribed)", "faster") == ReproductionOutcome::kUndecided);
}

TEST_CASE("a verdict on a metric that the study asks for reproduces like others", "[exchange]") {
  const auto of = [](const std::string& there, const std::string& here) {
    return outcome("metrics.csv", metric(there), metric(here));
  };

  CHECK(of("better", "better") == ReproductionOutcome::kReproduced);
  CHECK(of("better", "worse") == ReproductionOutcome::kNotReproduced);
  CHECK(of("worse", "equivalent") == ReproductionOutcome::kNotReproduced);
  CHECK(of("better", "no significant difference") == ReproductionOutcome::kUndecided);
  CHECK(read_statements({{"metrics.csv", metric("better")}}).at(0).name ==
        "tok_per_s of size=2 over size=1");
}

TEST_CASE("a search reproduces with its setting, if both searches are decided", "[exchange]") {
  const ReportTables there = search({"left", "winner"}, "c4", "better");
  const auto of = [&](const ReportTables& here) { return searched(there, here).outcome; };

  CHECK(of(there) == ReproductionOutcome::kReproduced);
  CHECK(of(search({"winner", "candidate"}, "c2", "better", "worse")) ==
        ReproductionOutcome::kNotReproduced);
  CHECK(of(search({"left", "winner"}, "c1", "worse")) == ReproductionOutcome::kNotReproduced);
  // One of v=2 and v=4 left each race, which is no result: neither search compared them.
  CHECK(of(search({"winner", "left"}, "c2", "better")) == ReproductionOutcome::kUndecided);
  // Nothing is recommended yet, or the default since its gain is not known.
  CHECK(of(search({"winner", "left"}, "", "better")) == ReproductionOutcome::kUndecided);
  CHECK(of(search({"winner", "left"}, "c1", "no significant difference")) ==
        ReproductionOutcome::kUndecided);
  CHECK(of({}) == ReproductionOutcome::kUndecided);
  const Reproduction other = searched(there, search({"winner", "left"}, "c2", "better"));
  CHECK(other.there.name == "setting that the search recommends");
  CHECK(other.there.word == "v=4");
  CHECK(other.here.value().word == "v=2");
}

TEST_CASE("a search that holds two settings to be alike contradicts neither", "[exchange]") {
  const ReportTables there = search({"left", "winner"}, "c4", "better");
  const auto with = [](const std::string& beside) {
    return search({"winner", "candidate"}, "c2", "better", beside);
  };

  CHECK(searched(there, with("equivalent")).outcome == ReproductionOutcome::kUndecided);
  CHECK(searched(with("equivalent"), there).outcome == ReproductionOutcome::kUndecided);
  CHECK(searched(there, with("no significant difference")).outcome ==
        ReproductionOutcome::kUndecided);
  CHECK(searched(there, with("worse")).outcome == ReproductionOutcome::kNotReproduced);
  CHECK(searched(with("equivalent"), search({"candidate", "winner"}, "c4", "better", "worse"))
            .outcome == ReproductionOutcome::kUndecided);
  CHECK(searched(there, with("failed")).outcome == ReproductionOutcome::kNotReproduced);
}

TEST_CASE("a report's folder is read with its search and its metrics", "[exchange]") {
  const TemporaryFolder folder;
  std::filesystem::copy(SCALESTUDY_SOURCE_DIR "/docs/examples/night/reports/best-setting-night",
                        folder.path(),
                        std::filesystem::copy_options::recursive);
  write_file(folder.path() / "data/metrics.csv", metric("better"));

  const auto statements = read_statements(read_report_folder(folder.path()).tables);

  const auto found =
      std::ranges::find(statements, "setting that the search recommends", &Statement::name);
  REQUIRE(found != statements.end());
  CHECK(found->word == "bucket_mb=25 overlap=none");
  CHECK(found->is_decided);
  CHECK(found->setting == "e9efddd0");
  CHECK(found->alike == std::set<std::string>{"197b36ed"});
  CHECK(found->apart.empty());
  CHECK(std::ranges::find(statements, "better", &Statement::word) != statements.end());
}

TEST_CASE("an overhead is no slower than anything", "[exchange]") {
  const std::string table =
      "cell,label,baseline_cell,baseline,quantity,value,lo,hi,verdict\n"
      "c2,devices=2,c3,control,communication_overhead,0.2,0.1,0.3,slower\n";
  const auto compared = compare_statements(read_statements({{"overhead.csv", table}}),
                                           read_statements({{"overhead.csv", table}}));
  REQUIRE(compared.size() == 1);
  CHECK(compared[0].there.word == "takes time");
  CHECK(compared[0].outcome == ReproductionOutcome::kReproduced);
}

TEST_CASE("a break-even reproduces where the intervals share more than an end", "[exchange]") {
  const auto of = [](const std::string& there, const std::string& here) {
    return outcome("thresholds.csv", there, here);
  };
  const std::string there = threshold("crossed", "32,64,46,39,61");

  CHECK(of(there, threshold("crossed", "32,64,50,41,66")) == ReproductionOutcome::kReproduced);
  CHECK(of(there, threshold("crossed", "64,128,80,70,90")) == ReproductionOutcome::kNotReproduced);
  CHECK(of(there, threshold("crossed_down", "32,64,46,39,61")) ==
        ReproductionOutcome::kNotReproduced);
  CHECK(of(there, threshold("always", ",,,,")) == ReproductionOutcome::kNotReproduced);
  CHECK(of(there, threshold("unresolved", "32,64,,,")) == ReproductionOutcome::kUndecided);
  CHECK(of(threshold("always", ",,,,"), threshold("always", ",,,,")) ==
        ReproductionOutcome::kReproduced);
  CHECK(of(threshold("all_tied", ",,,,"), threshold("all_tied", ",,,,")) ==
        ReproductionOutcome::kReproduced);
  CHECK(of(threshold("all_tied", ",,,,"), threshold("always", ",,,,")) ==
        ReproductionOutcome::kNotReproduced);
  // Without an interval the bracket is all that is said; at 64 the two say the opposite.
  CHECK(of(threshold("crossed", "32,64,,,"), threshold("crossed", "64,128,,,")) ==
        ReproductionOutcome::kNotReproduced);
  CHECK(of(threshold("crossed", "32,64,,,"), threshold("crossed", "32,64,,,")) ==
        ReproductionOutcome::kReproduced);
  CHECK(of(threshold("crossed", ",,,,"), threshold("crossed", "32,64,,,")) ==
        ReproductionOutcome::kNotReproduced);
}

TEST_CASE("a target reproduces with its word, and what is missing here is undecided",
          "[exchange]") {
  CHECK(outcome("targets.csv", target("met"), target("met")) == ReproductionOutcome::kReproduced);
  CHECK(outcome("targets.csv", target("met"), target("missed")) ==
        ReproductionOutcome::kNotReproduced);
  CHECK(outcome("targets.csv", target("met"), target("undecided")) ==
        ReproductionOutcome::kUndecided);
  CHECK(outcome("targets.csv", target("met"), "target,cell,label,value,lo,hi,verdict\n") ==
        ReproductionOutcome::kUndecided);
}

TEST_CASE("reports of earlier versions reproduce, whose tables have other names of columns",
          "[exchange]") {
  const auto earlier = [](std::string table, const std::string& name, const std::string& before) {
    return table.replace(table.find(name), name.size(), before);
  };

  CHECK(outcome("speedups.csv",
                earlier(speedups("faster"), ",baseline,", ",baseline_label,"),
                speedups("faster")) == ReproductionOutcome::kReproduced);
  CHECK(outcome("thresholds.csv",
                earlier(threshold("always", ",,,,"), "group_label", "group"),
                threshold("always", ",,,,")) == ReproductionOutcome::kReproduced);
  CHECK(outcome("targets.csv", earlier(target("met"), "target", "name"), target("met")) ==
        ReproductionOutcome::kReproduced);
}

TEST_CASE("a report's own statements all reproduce in it", "[exchange]") {
  ReportTables tables;
  for (const char* name : {"speedups.csv", "overhead.csv", "thresholds.csv", "targets.csv"}) {
    tables[name] = read_file(kGolden + "/data/" + name);
  }

  const auto statements = read_statements(tables);
  const auto compared = compare_statements(statements, statements);

  CHECK(statements.size() > 5);
  int decided = 0;
  for (const Reproduction& row : compared) {
    INFO(row.there.key);
    CHECK(row.outcome == (row.there.is_decided ? ReproductionOutcome::kReproduced
                                               : ReproductionOutcome::kUndecided));
    decided += row.there.is_decided ? 1 : 0;
  }
  CHECK(decided > 3);
}

TEST_CASE("tables that are not a report's are refused", "[exchange]") {
  CHECK_THROWS_WITH(read_statements({{"targets.csv", "a,b\n1,2\n"}}),
                    "targets.csv: no column label; these are not the tables of a report");
  CHECK_THROWS_WITH(read_statements({{"targets.csv", "name\n\"open\n"}}),
                    "targets.csv:2: this quote is never closed");
  const TemporaryFolder folder;
  const std::string give = "; give the folder of an export or of a report";
  CHECK_THROWS_WITH(read_report_folder(folder.path()),
                    folder.path().string() + ": no export.json and no report.md" + give);
  write_file(folder.file("report.md"), "# A report\n");
  CHECK_THROWS_WITH(read_report_folder(folder.path()),
                    folder.file("report.md") + ": the text of the study is not in it" + give);
}
