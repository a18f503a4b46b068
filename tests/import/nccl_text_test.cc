// What nccl-tests prints, in three of its versions.
#include <string>

#include "harness/import/nccl_table.h"
#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

const std::string kTwoRuns = "nccl_alltoall_sendrecv.txt";

}  // namespace

TEST_CASE("every number of a run becomes a figure with the run's conditions", "[import]") {
  const PublicationRow publication = import_file(data_file(kTwoRuns)).publication;

  // 2 * (10 * 7 + 1): ten lines with 8 numbers less an N/A, and an average.
  CHECK(publication.figures.size() == 142);
  CHECK(publication.kind == PublicationKind::kNcclTests);
  CHECK(publication.hardware == "NVIDIA H100 80GB HBM3");
  const PublishedFigureRow time = figure(publication, "all_to_all", 1, "time");
  CHECK(time.printed == "518.1");
  CHECK(time.quantity == "latency");
  CHECK(*time.value == Approx(518.1e-6));
  CHECK(*time.lo == Approx(518.05e-6));
  CHECK(*time.hi == Approx(518.15e-6));
  CHECK(time.unit == "s");
  CHECK(time.printed_unit == "us");
  CHECK(time.line == 13);
  CHECK(time.conditions ==
        R"({"devices":"4","hardware":"NVIDIA H100 80GB HBM3","message_bytes":"33554432",)"
        R"("nodes":"2","operation":"all_to_all","place":"out_of_place","precision":"fp64"})");
}

TEST_CASE("programs of nccl-tests measure operations that collective calls otherwise", "[import]") {
  for (const char* same :
       {"all_reduce", "all_gather", "broadcast", "gather", "hypercube", "reduce", "scatter"}) {
    CHECK(nccl_operation(std::string("build/") + same + "_perf") == same);
  }
  CHECK(nccl_operation("reduce_scatter_perf") == "reduce_scatter");
  CHECK(nccl_operation("/opt/build/alltoall_perf_mpi") == "all_to_all");
  CHECK(nccl_operation("sendrecv_perf") == "send_recv");
  CHECK(nccl_operation("_perf").empty());
  CHECK(nccl_operation("alltoall").empty());
}

TEST_CASE("in-place columns are figures of their own", "[import]") {
  const PublicationRow publication = import_file(data_file(kTwoRuns)).publication;

  const PublishedFigureRow busbw = figure(publication, "send_recv", 10, "in_place_busbw");
  CHECK(*busbw.value == Approx(28.63e9));
  CHECK_THAT(busbw.conditions,
             Contains(R"("place":"in_place")") && Contains(R"("redop":"sum")") &&
                 Contains(R"("message_bytes":"17179869184")"));
  CHECK_THROWS(figure(publication, "send_recv", 10, "in_place_wrong"));  // N/A
}

TEST_CASE("digits of a program are digits, zeros too", "[import]") {
  // "18778" could have been rounded to tens by a person had it ended in 0; "150325" by none.
  const std::string text = changed(kTwoRuns, "  15034 ", "  15030 ");

  const PublishedFigureRow time = figure(import_text(text).publication, "all_to_all", 6, "time");

  CHECK(*time.lo == Approx(15029.5e-6));
  CHECK(*time.hi == Approx(15030.5e-6));
}

TEST_CASE("the average of the footer is a figure of the run", "[import]") {
  const PublicationRow publication = import_file(data_file(kTwoRuns)).publication;

  const PublishedFigureRow average = figure(publication, "", std::nullopt, "average-bus-bandwidth");
  CHECK(average.printed == "52.6393");
  CHECK(*average.value == Approx(52.6393e9));
  CHECK(average.experiment == "all_to_all");
}

TEST_CASE("versions without a root, with blank redop and a deviation are read", "[import]") {
  const ImportedSource source = import_file(data_file("nccl_without_root.txt"));
  const PublicationRow& publication = source.publication;

  CHECK(*figure(publication, "nccl_tests", 2, "in_place_busbw").value == Approx(4.32e9));
  CHECK_THAT(figure(publication, "nccl_tests", 1, "time").conditions, Contains(R"("redop":"sum")"));
  const PublishedFigureRow blank = figure(publication, "nccl_tests_run_2", 1, "time");
  CHECK(*blank.value == Approx(0.520935));
  CHECK_THAT(blank.conditions, !Contains("redop"));
  CHECK(figure(publication, "nccl_tests_run_2", 1, "in_place_error").printed == "1e+00");
  CHECK_THAT(source.notes.at(0), Contains("does not say which collective"));
}

TEST_CASE("a log that lost its marks is read, its command names the collective", "[import]") {
  const ImportedSource source = import_file(data_file("nccl_all_gather_failed.txt"));

  CHECK(*figure(source.publication, "all_gather", 1, "algbw").value == Approx(129.05e9));
  CHECK_THAT(source.notes.at(0), Contains("wrong results: 2 values out of bounds"));
}

TEST_CASE("lines of NCCL and tags of mpirun are no results", "[import]") {
  std::string text = changed(kTwoRuns,
                             "    67108864       2097152",
                             "cnode4-005:2427399:2427411 [0] NCCL INFO Channel 00/32\n"
                             "    67108864       2097152");
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    text.insert(at, "[1,0]<stdout>:");
  }

  const PublicationRow publication = import_text(text).publication;

  CHECK(publication.figures.size() == 142);
}

TEST_CASE("a run without its footer is refused with the place of its table", "[import]") {
  const std::string text = read_file(data_file(kTwoRuns));

  CHECK_THAT(problem_of(text.substr(0, text.find("# Out of bounds"))),
             Contains("input.txt:11:9: ") && Contains("no footer") && Contains("cut off"));
  const std::size_t first_footer = text.find("# Out of bounds");
  const std::size_t second_run = text.find("# nThread", first_footer);
  CHECK_THAT(problem_of(text.substr(0, first_footer) + text.substr(second_run)),
             Contains("input.txt:23:3: ") && Contains("table of line 11"));
}

TEST_CASE("a row that is cut off or does not parse is refused with its place", "[import]") {
  CHECK_THAT(problem_of(changed(kTwoRuns, "  68.00   51.00    N/A", "  68.00")),
             Contains("input.txt:14:5: ") && Contains("11 fields and the table 13"));
  CHECK_THAT(problem_of(changed(kTwoRuns, "67.22", "6x.22")),
             Contains("input.txt:14:") && Contains("algbw: ") && Contains("6x.22"));
  CHECK_THAT(problem_of(changed(kTwoRuns, " 998.4", "-998.4")),
             Contains("input.txt:14:56: time: -998.4 cannot be negative"));
}

TEST_CASE("a setting among the columns of a place is refused", "[import]") {
  const std::string head = "root     time   algbw   busbw #wrong     time   algbw   busbw ";
  CHECK_THAT(problem_of(changed(kTwoRuns, "redop    " + head + "#wrong", head + "redop")),
             Contains("input.txt:11:9: the columns are not those of nccl-tests: the two places "
                      "differ"));
}

TEST_CASE("units other than those of nccl-tests are refused", "[import]") {
  CHECK_THAT(problem_of(changed(kTwoRuns, "(us)", "(ms)")),
             Contains("input.txt:12:") && Contains("(ms) disagrees"));
}

TEST_CASE("columns other than those of nccl-tests are refused", "[import]") {
  CHECK_THAT(problem_of(changed(kTwoRuns, "#wrong     time", "#wrong")),
             Contains("input.txt:11:9: the columns are not those of nccl-tests"));
}

TEST_CASE("processes that did not work together are no run", "[import]") {
  CHECK_THAT(problem_of(changed(kTwoRuns, "#  Rank  1 Group", "#  Rank  0 Group")),
             Contains("input.txt:6:4: rank 0 appears twice"));
}

// With each compared to all before it this would take minutes.
TEST_CASE("more ranks than any machine has are read", "[import]") {
  std::string ranks;
  for (int rank = 100; rank < 600'000; ++rank) {
    ranks += "#  Rank " + std::to_string(rank) + " Group  0 Pid 1 on h device 0 [0000:01:00] X\n";
  }

  CHECK_THAT(problem_of(changed(kTwoRuns, "#  Rank  1 Group", ranks + "#  Rank  0 Group")),
             Contains("rank 0 appears twice"));
}

TEST_CASE("of several groups the number of devices is not guessed", "[import]") {
  const std::string text = changed(kTwoRuns, "Rank  3 Group  0", "Rank  3 Group  1");

  const ImportedSource source = import_text(text);

  CHECK_THAT(figure(source.publication, "all_to_all", 1, "time").conditions, !Contains("devices"));
  REQUIRE(source.notes.size() == 1);
  CHECK_THAT(source.notes[0], Contains("4 ranks ran as 2 groups at the same time"));
}

TEST_CASE("what launchers put in front of lines is taken off", "[import]") {
  for (const std::string tag : {"[1,0]<stdout>:",
                                "  [1,0]<stdout>:",
                                "[prterun-node-7-4242@1,0]<stdout>: ",
                                "0: ",
                                " 3: ",
                                "2026-05-18T16:04:46.338Z ",
                                "[2026-05-18 16:04:46,338] ",
                                "2026-05-18 16:04:46 0: [1,0]<stdout>:"}) {
    CAPTURE(tag);
    std::string text = read_file(data_file(kTwoRuns));
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      text.insert(at, tag);
    }

    CHECK(import_text(text).publication.figures.size() == 142);
  }
}

TEST_CASE("a rank that is quoted, or some of them, is no number of devices", "[import]") {
  const ImportedSource source =
      import_text(changed(kTwoRuns, "#  Rank  0 Group", "#  Rank  71 Group"));

  CHECK_THAT(figure(source.publication, "all_to_all", 1, "time").conditions, !Contains("devices"));
  REQUIRE(source.notes.size() == 1);
  CHECK_THAT(source.notes[0], Contains("4 ranks are listed, the highest is 71"));
}

TEST_CASE("the devices of a run are not those of the next", "[import]") {
  std::string text = read_file(data_file(kTwoRuns));
  const std::size_t second = text.find("# nThread", text.find("sendrecv_perf"));
  const std::size_t table = text.find("#       size", second);
  text.erase(second, table - second);

  const PublicationRow publication = import_text(text).publication;

  CHECK_THAT(figure(publication, "all_to_all", 1, "time").conditions, Contains(R"("devices":"4")"));
  CHECK_THAT(figure(publication, "send_recv", 1, "time").conditions, !Contains("devices"));
}

TEST_CASE("a number of devices that the bandwidths contradict is not taken", "[import]") {
  std::string text = read_file(data_file(kTwoRuns));
  for (const char* rank : {"#  Rank  2", "#  Rank  3"}) {
    const std::size_t at = text.find(rank);
    text.erase(at, text.find('\n', at) + 1 - at);
  }

  const ImportedSource source = import_text(text);

  CHECK_THAT(figure(source.publication, "all_to_all", 1, "time").conditions, !Contains("devices"));
  REQUIRE_FALSE(source.notes.empty());
  CHECK_THAT(source.notes[0],
             Contains("2 ranks are listed") && Contains("0.5 times") && Contains("0.75 times"));
}

TEST_CASE("rows that were left out are told by the footer's average", "[import]") {
  std::string text = read_file(data_file(kTwoRuns));
  const std::size_t at = text.find("    33554432       1048576    double");
  text.erase(at, text.find('\n', at) + 1 - at);

  const ImportedSource source = import_text(text);

  REQUIRE(source.notes.size() == 1);
  CHECK_THAT(source.notes[0],
             Contains("average bus bandwidth is 52.6393 GB/s") && Contains("rows are missing"));
  CHECK(import_file(data_file(kTwoRuns)).notes.empty());
}

TEST_CASE("a log whose first line is JSON is still a log", "[import]") {
  const std::string text = "{\"event\": \"start\"}\n" + read_file(data_file(kTwoRuns));

  CHECK(import_text(text).publication.figures.size() == 142);
}
