// Every layout of columns that nccl-tests and rccl-tests print, in all their versions. The heads
// are those of NVIDIA/nccl-tests (src/common.cu until 2.17, src/util.cu since) and ROCm/rccl-tests
// (option -A); the numbers were made up for two devices, where bus bandwidth equals algorithm
// bandwidth: 1 MiB in 20 us are 52.43 GB/s, in 21 us 49.93 GB/s.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

using Values = std::map<std::string, std::string>;

const Values kSettings{{"size", "1048576"},
                       {"count", "262144"},
                       {"type", "float"},
                       {"redop", "sum"},
                       {"root", "-1"},
                       {"timestamp", "2026-09-26 10:00:00"},
                       {"impl", "GEN"},
                       {"algo", "RING"},
                       {"proto", "SIMPLE"},
                       {"kernelVariant", "N/A"},
                       {"sync", "N/A"},
                       {"#channels", "24"},
                       {"nchannels", "24"},
                       {"#warps", "16"},
                       {"netChunkSize", "131072"}};
const Values kOutOfPlace{{"time", "20.00"},
                         {"cputime", "20.00"},
                         {"algbw", "52.43"},
                         {"busbw", "52.43"},
                         {"#wrong", "0"},
                         {"error", "3e-07"},
                         {"#bitdiff", "5"},
                         {"i_min", "18.10"},
                         {"i_max", "31.20"},
                         {"i_avg", "20.30"},
                         {"i_p50", "20.40"},
                         {"i_p95", "25.50"},
                         {"i_p99", "30.60"},
                         {"i_cv%", "11.70"}};
const Values kInPlace{{"time", "21.00"},
                      {"cputime", "21.00"},
                      {"algbw", "49.93"},
                      {"busbw", "49.93"},
                      {"#wrong", "N/A"},
                      {"error", "4e-07"},
                      {"#bitdiff", "6"},
                      {"i_min", "18.15"},
                      {"i_max", "31.25"},
                      {"i_avg", "20.35"},
                      {"i_p50", "20.45"},
                      {"i_p95", "25.55"},
                      {"i_p99", "30.65"},
                      {"i_cv%", "11.75"}};

struct Layout {
  std::string settings;
  std::string place;
  std::string tail;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

std::string row_of(const std::string& names, const Values& values) {
  std::string row;
  for (const std::string& name : words_of(names)) {
    row += "  " + values.at(name);
  }
  return row;
}

std::string run_of(const Layout& layout,
                   const std::string& row,
                   const std::string& average = "51.18") {
  return "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 1048576\n"
         "# Collective test starting: all_reduce_perf\n"
         "#  Rank  0 Group  0 Pid 10 on h device  0 [0000:06:00] GPU\n"
         "#  Rank  1 Group  0 Pid 10 on h device  1 [0000:26:00] GPU\n"
         "#  " +
         layout.settings + "  " + layout.place + "  " + layout.place + "  " + layout.tail + "\n" +
         row + "\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : " + average + " \n";
}

std::string full_row(const Layout& layout) {
  return "  " + row_of(layout.settings, kSettings) + row_of(layout.place, kOutOfPlace) +
         row_of(layout.place, kInPlace) + row_of(layout.tail, kSettings);
}

const std::string kPlain = "time algbw busbw #wrong";
const std::string kNow = "size count type redop root";
const std::string kTuning = "impl algo proto kernelVariant sync #channels #warps netChunkSize";

// How the columns are called in the store, where not as they are printed.
const Values kStoredAs{{"#wrong", "wrong"},
                       {"#bitdiff", "different_bits"},
                       {"i_min", "iteration_min"},
                       {"i_max", "iteration_max"},
                       {"i_avg", "iteration_mean"},
                       {"i_p50", "iteration_p50"},
                       {"i_p95", "iteration_p95"},
                       {"i_p99", "iteration_p99"},
                       {"i_cv%", "iteration_cv"}};

}  // namespace

TEST_CASE("every layout of columns is read by name", "[import]") {
  const std::string per_iteration = kPlain + " i_min i_max i_p99 i_cv%";
  const std::string all_statistics = kPlain + " i_min i_max i_avg i_p50 i_p95 i_p99";
  for (const Layout& layout :
       std::vector<Layout>{{"size count type", "time algbw busbw error", ""},
                           {"size count type redop", "time algbw busbw error", ""},
                           {"size count type root", "time algbw busbw error", ""},
                           {"size count type redop root", "time algbw busbw error", ""},
                           {kNow, kPlain, ""},
                           {kNow, "cputime algbw busbw #wrong", ""},
                           {kNow, kPlain, "timestamp"},
                           {kNow, per_iteration, ""},
                           {kNow, per_iteration, "timestamp"},
                           {kNow, all_statistics, ""},
                           {kNow, kPlain + " #bitdiff", ""},
                           {kNow, kPlain + " #bitdiff i_min i_max i_p99 i_cv%", "timestamp"},
                           {kNow, kPlain, kTuning},
                           {kNow, kPlain, "timestamp " + kTuning},
                           {kNow, per_iteration, "timestamp " + kTuning},
                           {kNow, kPlain, "algo proto nchannels"}}) {
    CAPTURE(layout.settings, layout.place, layout.tail);

    const ImportedSource source = import_text(run_of(layout, full_row(layout)));

    CHECK(source.notes.empty());
    const std::string conditions = figure(source.publication, "all_reduce", 1, "busbw").conditions;
    CHECK_THAT(conditions, Contains(R"("devices":"2")"));
    for (const std::string& name : words_of(layout.place)) {
      CAPTURE(name);
      const std::string column = kStoredAs.contains(name) ? kStoredAs.at(name) : name;
      CHECK(figure(source.publication, "all_reduce", 1, column).printed == kOutOfPlace.at(name));
      if (kInPlace.at(name) != "N/A") {
        CHECK(figure(source.publication, "all_reduce", 1, "in_place_" + column).printed ==
              kInPlace.at(name));
      }
    }
    const bool has_tuning = layout.tail.find("proto") != std::string::npos;
    CHECK((conditions.find(R"("tuning_algorithm":"RING","tuning_channels":"24")") !=
           std::string::npos) == has_tuning);
    CHECK_THAT(conditions, !Contains("N/A") && !Contains("10:00:00"));
  }
}

TEST_CASE("a percentile of iterations is named, and is no time of a call", "[import]") {
  const Layout layout{kNow, kPlain + " i_min i_max i_p99 i_cv%", ""};

  const PublicationRow publication = import_text(run_of(layout, full_row(layout))).publication;

  const PublishedFigureRow percentile = figure(publication, "all_reduce", 1, "iteration_p99");
  CHECK_THAT(percentile.conditions, Contains(R"("statistic":"p99")"));
  CHECK(*percentile.value == Approx(30.6e-6));
  CHECK(*figure(publication, "all_reduce", 1, "in_place_iteration_cv").value == Approx(0.1175));
  CHECK_THAT(figure(publication, "all_reduce", 1, "time").conditions, !Contains("statistic"));
}

TEST_CASE("a row that was run in place only leaves the other place absent", "[import]") {
  const Layout layout{kNow, kPlain, ""};
  const std::string settings = "  " + row_of(layout.settings, kSettings);
  const std::string in_place = row_of(layout.place, kInPlace);

  const PublicationRow publication =
      import_text(run_of(layout, settings + std::string(32, ' ') + in_place, "49.93")).publication;

  CHECK_THROWS(figure(publication, "all_reduce", 1, "time"));
  CHECK(figure(publication, "all_reduce", 1, "in_place_time").printed == "21.00");
  // The same words without the blank are a line that was cut off.
  CHECK_THAT(problem_of(run_of(layout, settings + in_place)), Contains("is cut off"));
}

TEST_CASE("a row that lost its first or last column has no blank redop", "[import]") {
  const Layout layout{kNow, kPlain, ""};
  const std::string times = " 20.00 52.43 52.43 0 21.00 49.93 49.93";
  const std::string told = " this row has 12 fields and the table 13: the line is cut off";

  CHECK_THAT(problem_of(run_of(layout, "  1048576 262144 float sum 0" + times)),
             Contains("input.txt:6:3:" + told));
  CHECK_THAT(problem_of(run_of(layout, "262144 float sum 0" + times + " 0")),
             Contains("input.txt:6:1:" + told));
  const PublicationRow blank =
      import_text(run_of(layout, "1048576 262144 float 0" + times + " 0")).publication;
  CHECK(figure(blank, "all_reduce", 1, "time").printed == "20.00");
  CHECK_THAT(figure(blank, "all_reduce", 1, "time").conditions,
             Contains(R"("root":"0")") && !Contains("redop"));
}

TEST_CASE("a column that is not known is refused by its name", "[import]") {
  const Layout percentile{kNow, kPlain + " i_p42", ""};
  CHECK_THAT(problem_of(run_of(percentile, "")), Contains("the column i_p42 is not known"));
  const Layout tail{kNow, kPlain, "algo colour"};
  CHECK_THAT(problem_of(run_of(tail, "")), Contains("the column colour is not known"));
  const Layout swapped{kNow, "time busbw algbw #wrong", ""};
  CHECK_THAT(problem_of(run_of(swapped, "")), Contains("out of order"));
  const Layout twice{kNow + " redop", kPlain, ""};
  CHECK_THAT(problem_of(run_of(
                 twice, "1048576 262144 float sum -1 20.00 52.43 52.43 0 21.00 49.93 49.93 0")),
             Contains("the column redop stands twice"));
}
