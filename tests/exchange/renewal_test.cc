// What a report made anew changes in an older one: numbers, or only words.
#include "harness/exchange/renewal.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

using Catch::Contains;
using Catch::Equals;
using namespace scalestudy;

namespace {

const std::string kTable =
    "cell,label,value,remark\n"
    "c1,1 device,1.5,\"slower, by 2 %\"\n"
    "c2,2 devices,,none\n";
const std::string kResults =
    "{\n\"format\": \"scalestudy-results\",\n\"made_by\": \"0.1.0\",\n"
    "\"study\": {\"name\":\"night\",\"analysis_version\":3},\n"
    "\"targets\": [\n{\"level\":1.7,\"finding\":\"met\"}\n]\n}\n";

FileChange change_of(const std::string& file, const std::string& before, const std::string& now) {
  return find_renewal({{file, before}}, {{file, now}}, {file}, "0.2.0").files.at(0);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("other words and more columns in a table change no number", "[renewal]") {
  const std::string reworded =
      "cell,remark,value,p,label\n"
      "c1,\"slower by 2 %\",1.50,0.01,devices=1\n"
      "c2,,,,devices=2\n";
  const Renewal renewal = find_renewal({{"data/a.csv", kTable}, {"results.json", kResults}},
                                       {{"data/a.csv", reworded}, {"results.json", kResults}},
                                       {"data/a.csv"},
                                       "0.2.0");
  CHECK(renewal.summary ==
        "made by version 0.1.0 (this is 0.2.0); all numbers equal, words differ");
  CHECK(renewal.files.at(0).what == "words differ");
}

TEST_CASE("a table that has 1 and 0 in place of true and false has no other numbers", "[renewal]") {
  const std::string table = "cell,rejected\nc1,true\nc2,false\n";
  CHECK(change_of("data/a.csv", table, "cell,rejected\nc1,1\nc2,0\n").what == "words differ");
  CHECK_THAT(change_of("data/a.csv", table, "cell,rejected\nc1,0\nc2,0\n").numbers,
             Equals(Texts{"row 1 (c1), rejected: true, now 0"}));
}

TEST_CASE("numbers of a list in a table are compared one by one, and those in a sentence are words",
          "[renewal]") {
  const std::string table = "along,pieces,remark\nsize,15.3 18.1,2 of 8\n";
  CHECK(change_of("data/a.csv", table, with(table, "15.3 18.1", "15.30 18.1")).what ==
        "words differ");
  CHECK(change_of("data/a.csv", table, with(table, "2 of 8", "3 of 8")).what == "words differ");
  CHECK_THAT(change_of("data/a.csv", table, with(table, "18.1", "18.2")).numbers,
             Equals(Texts{"row 1 (size), pieces: 15.3 18.1, now 15.3 18.2"}));
  CHECK_THAT(change_of("data/a.csv", table, with(table, " 18.1", "")).numbers,
             Equals(Texts{"row 1 (size), pieces: 15.3 18.1, now 15.3"}));
  CHECK_THAT(change_of("data/a.csv", table, with(table, "15.3 18.1", "")).numbers,
             Equals(Texts{"row 1 (size), pieces: 15.3 18.1, now none"}));
}

TEST_CASE("a long list is told by how many of its numbers differ", "[renewal]") {
  const std::string table = "label,trials\na,1 2 3 4 5 6 7 8 9 10\n";
  const auto told = [&](const std::string& before, const std::string& now) {
    return change_of("data/a.csv", table, with(table, before, now)).numbers;
  };
  CHECK_THAT(told(" 9 10", " 10 11"), Equals(Texts{"row 1 (a), trials: 2 of 10 numbers differ"}));
  CHECK_THAT(told(" 10\n", "\n"), Equals(Texts{"row 1 (a), trials: 10 numbers, now 9"}));
  CHECK_THAT(told("1 2 3 4 5 6 7 8 9 10", ""),
             Equals(Texts{"row 1 (a), trials: 10 numbers, now none"}));
  CHECK_THAT(told("1 2 3 4 5 6 7 8 9 10", "7"),
             Equals(Texts{"row 1 (a), trials: 10 numbers, now 1"}));
}

TEST_CASE("a column that has another name in this version is compared all the same", "[renewal]") {
  for (const auto& [before, now] : {std::pair("p", "p_value"),
                                    {"sd_between_trials", "sd"},
                                    {"measured_steps", "steps"},
                                    {"foreign_load_cores", "foreign_load"},
                                    {"lo", "step_time_s_lo"},
                                    {"hi", "step_time_s_hi"},
                                    {"measured", "measured_s"}}) {
    const std::string older = std::string("cell,") + before + "\nc1,0.2\n";
    const std::string head = std::string("cell,") + now + "\n";
    CHECK(change_of("data/a.csv", older, head + "c1,0.20\n").what == "words differ");
    CHECK_THAT(change_of("data/a.csv", older, head + "c1,0.3\n").numbers,
               Equals(Texts{std::string("row 1 (c1), ") + before + ": 0.2, now 0.3"}));
  }
  // A table that still has the name is compared by it.
  CHECK_THAT(
      change_of(
          "data/a.csv", "cell,lo,step_time_s_lo\nc1,1,2\n", "cell,lo,step_time_s_lo\nc1,3,2\n")
          .numbers,
      Equals(Texts{"row 1 (c1), lo: 1, now 3"}));
}

TEST_CASE("a number of a table is named by row and column, also where it came or went",
          "[renewal]") {
  const FileChange other = change_of("data/a.csv", kTable, with(kTable, "1.5", "1.6"));
  CHECK(other.what == "1 number differs");
  CHECK_THAT(other.numbers, Equals(Texts{"row 1 (1 device), value: 1.5, now 1.6"}));
  CHECK_THAT(change_of("data/a.csv", kTable, with(kTable, "devices,,", "devices,0.9,")).numbers,
             Equals(Texts{"row 2 (2 devices), value: none, now 0.9"}));
  CHECK_THAT(change_of("data/a.csv", kTable, kTable + "c3,4 devices,2,\n").numbers,
             Equals(Texts{"rows: 2, now 3"}));
}

TEST_CASE("a column that the new table lacks is told, and its numbers are not called equal",
          "[renewal]") {
  const std::string without =
      "cell,label,remark\nc1,1 device,\"slower, by 2 %\"\nc2,2 devices,none\n";
  const Renewal renewal = find_renewal({{"data/a.csv", kTable}, {"results.json", kResults}},
                                       {{"data/a.csv", without}, {"results.json", kResults}},
                                       {"data/a.csv"},
                                       "0.2.0");
  CHECK(renewal.summary ==
        "made by version 0.1.0 (this is 0.2.0); all other numbers equal, 1 column missing");
  CHECK(renewal.files.at(0).what == "1 column missing");
  CHECK_THAT(renewal.files.at(0).numbers, Equals(Texts{"value: in data/a.csv, now missing"}));

  // One that had another name before, beside a number that differs and other rows.
  const std::string table = "cell,p,n,m\nc1,0.2,1,2\n";
  const Renewal both = find_renewal(
      {{"data/a.csv", table}}, {{"data/a.csv", "cell,n\nc1,3\n"}}, {"data/a.csv"}, "0.2.0");
  CHECK(both.summary == "made by an older version; 1 number differs, 2 columns missing");
  CHECK(both.files.at(0).what == "1 number differs, 2 columns missing");
  CHECK_THAT(both.files.at(0).numbers,
             Equals(Texts{"p: in data/a.csv, now missing",
                          "m: in data/a.csv, now missing",
                          "row 1 (c1), n: 1, now 3"}));
  CHECK_THAT(change_of("data/a.csv", table, "cell,p_value,n\nc1,0.2,1\nc2,0.2,1\n").numbers,
             Equals(Texts{"m: in data/a.csv, now missing", "rows: 1, now 2"}));
}

TEST_CASE("a key that the new results.json lacks is told, and one that is new counts as words",
          "[renewal]") {
  const std::string without = with(kResults, "\"level\":1.7,", "");
  const Renewal renewal = find_renewal(
      {{"results.json", kResults}}, {{"results.json", without}}, {"results.json"}, "0.1.0");
  CHECK(renewal.summary == "made by this version, 0.1.0; all other numbers equal, 1 key missing");
  CHECK(renewal.files.at(0).what == "1 key missing");
  CHECK_THAT(renewal.files.at(0).numbers,
             Equals(Texts{"targets, level: in results.json, now missing"}));
  CHECK(change_of("results.json", without, kResults).what == "words differ");

  // Told once for all rows, beside numbers that differ; a list without rows has no keys to lack.
  const std::string rows = R"({"a": [{"n":1,"m":2}, {"n":1,"m":2}], "b": [{"n":1}], "c": {"d":1}})";
  const FileChange both = change_of("results.json", rows, R"({"a": [{"n":3}], "b": []})");
  CHECK(both.what == "2 numbers differ, 2 keys missing");
  CHECK_THAT(both.numbers,
             Equals(Texts{"c: in results.json, now missing",
                          "a, m: in results.json, now missing",
                          "a, rows: 2, now 1",
                          "b, rows: 1, now 0"}));
}

TEST_CASE("results.json is compared by its rows, and versions are no numbers of a study",
          "[renewal]") {
  const std::string newer = with(with(kResults, "\":3}", "\":4}"), "0.1.0", "0.2.0");
  CHECK(change_of("results.json", kResults, with(newer, "\"met\"", "\"kept\"")).what ==
        "words differ");
  CHECK_THAT(change_of("results.json", kResults, with(newer, "1.7", "1.8")).numbers,
             Equals(Texts{"targets 1, level: 1.7, now 1.8"}));
  CHECK_THAT(change_of("results.json", kResults, with(newer, "[\n{", "[\n{},\n{")).numbers,
             Equals(Texts{"targets, rows: 1, now 2"}));
}

TEST_CASE(
    "a results.json that is no whole JSON document is called damaged, and no number of it counts",
    "[renewal]") {
  for (const std::string& damaged : {kResults.substr(0, 60), std::string(), std::string("{}")}) {
    CAPTURE(damaged);
    const Renewal renewal = find_renewal(
        {{"results.json", damaged}}, {{"results.json", kResults}}, {"results.json"}, "0.1.0");
    CHECK(renewal.summary ==
          "made by an unknown version, because its results.json is damaged; all other numbers "
          "equal");
    CHECK(renewal.files.at(0).what ==
          "damaged: no whole JSON document, so its numbers cannot be compared");
    CHECK(renewal.files.at(0).numbers.empty());
  }
}

TEST_CASE("a damaged results.json is no data that a page without a number of it agrees with",
          "[renewal]") {
  const Renewal renewal =
      find_renewal({{"results.json", "{"}, {"report.md", "Faster: 1.443x\n\nAgain 1.443x\n"}},
                   {{"results.json", kResults}, {"report.md", "Nothing is known.\n"}},
                   {"results.json", "report.md"},
                   "0.1.0");
  CHECK_THAT(renewal.summary, Contains("cannot all be compared"));
}

TEST_CASE("a number edited on a page is found at its line", "[renewal]") {
  const std::string page = "# fp32\n\nFaster: 1.443x [1.352, 1.541].\n27,540,000 bytes, -5 %\n";
  const FileChange edited = change_of("report.md", page, with(page, "1.443", "1.543"));
  CHECK_THAT(edited.numbers, Equals(Texts{"line 3: 1.443, now 1.543"}));
  CHECK_THAT(change_of("report.md", page, with(page, "-5", "5")).numbers,
             Equals(Texts{"line 4: -5, now 5"}));
  CHECK(change_of("report.md", page, with(page, "Faster", "It gains")).what == "words differ");
  CHECK(change_of("report.md", page, with(page, "27,540,000", "27540000")).what == "words differ");
}

TEST_CASE("the version of the analysis is no number of a page", "[renewal]") {
  const std::string page = "Slower by 3 %. (Analysis version 20.)\n";
  CHECK(change_of("details.md", page, with(page, "20", "21")).what == "words differ");
  CHECK(change_of("details.md", page, with(page, " (Analysis version 20.)", "")).what ==
        "words differ");
  CHECK_THAT(change_of("details.md", page, with(page, "3 %", "4 %")).numbers,
             Equals(Texts{"line 1: 3, now 4"}));
}

TEST_CASE("of a page that is laid out anew those numbers are told that no new page prints",
          "[renewal]") {
  const std::string page = "1.443x [1.352, 1.541] of 27,540,000 bytes\n\nAgain 1.443x\n";
  const FileTexts newer = {{"report.md", "1.443x\n"}, {"details.md", "[1.352, 1.541] 27.5 MB"}};
  const Renewal alone = find_renewal({{"report.md", page}}, newer, {"report.md"}, "0.2.0");
  CHECK(alone.files.at(0).what == "1 number not in the new report");
  CHECK_THAT(alone.files.at(0).numbers, Equals(Texts{"line 1: 27,540,000"}));
  CHECK(alone.summary ==
        "made by an older version; it has no data/ or results.json, so its numbers cannot all be "
        "compared, words differ");

  FileTexts with_data = newer;
  with_data["data/a.csv"] = kTable;
  const Renewal renewal = find_renewal(
      {{"report.md", page}, {"data/a.csv", kTable}}, with_data, {"report.md"}, "0.2.0");
  CHECK(renewal.summary == "made by an older version; all numbers of its data equal, words differ");
}

TEST_CASE("files that are missing, extra or drawn say so", "[renewal]") {
  const Renewal renewal = find_renewal({{"figures/a.svg", "<svg>1</svg>"}, {"data/b.csv", "a\n"}},
                                       {{"figures/a.svg", "<svg>2</svg>"}, {"data/a.csv", "a\n"}},
                                       {"data/a.csv", "data/b.csv", "figures/a.svg"},
                                       "0.2.0");
  REQUIRE(renewal.files.size() == 3);
  CHECK(renewal.files[0].what == "missing");
  CHECK(renewal.files[1].what == "no longer part of the report");
  CHECK(renewal.files[2].what == "differs");
  CHECK(renewal.summary ==
        "made by an older version; all other numbers equal, 1 table no longer part of the report");
}

TEST_CASE("where no file of a report is, nothing is said of who made it or of its numbers",
          "[renewal]") {
  const Renewal renewal = find_renewal({}, {{"data/a.csv", kTable}}, {"data/a.csv"}, "0.2.0");
  CHECK(renewal.summary == "none of its files is there");
  CHECK(renewal.files.at(0).what == "missing");
}
