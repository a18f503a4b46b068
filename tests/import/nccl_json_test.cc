// nccl-tests -J.
#include <string>

#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

const std::string kNcclJson = "nccl_all_reduce.json";

// What -I 1 and the report of NCCL's choices add to a result, as src/util.cu of nccl-tests 2.20
// writes it; the numbers were made up.
const std::string kPerIteration =
    R"("out_of_place_per_iter":{"skipped_iterations":1,"min_us":61.5,"max_us":70.25,"avg_us":64.0,)"
    R"("p50_us":63.0,"p95_us":70.0,"p99_us":70.125,"stdev_us":3.5,"cv_pct":5.46875,)"
    R"("times_us":[99.75,61.5,70.25],"per_process_max_times_us":[[99.75,61.5,70.25],[9.5,9.5,9.5]]},)"
    R"("tuning":{"implementation":"GEN","algo":"RING","proto":"LL","kernelVariant":"N/A",)"
    R"("syncStrategy":"N/A","#channels":24,"#warps":16,"netChunkSize":"N/A"},)";

std::string with_iterations() {
  return changed(
      kNcclJson, R"("actual_iterations":20)", kPerIteration + R"("actual_iterations":20)");
}

}  // namespace

TEST_CASE("the JSON gives the same kinds of figures as the text", "[import]") {
  const PublicationRow publication = import_file(data_file(kNcclJson)).publication;

  CHECK(publication.figures.size() == 11 * 8 + 1);
  const PublishedFigureRow busbw = figure(publication, "all_reduce", 2, "in_place_busbw");
  CHECK(busbw.printed == "245.517420");  // as written: the last zero is a digit
  CHECK(*busbw.value == Approx(245.51742e9));
  CHECK(*busbw.hi - *busbw.lo == Approx(1e-6 * 1e9));
  CHECK(busbw.conditions ==
        R"({"devices":"4","hardware":"NVIDIA H100","message_bytes":"16777216","nodes":"1",)"
        R"("operation":"all_reduce","place":"in_place","precision":"fp32","redop":"sum"})");
  CHECK(figure(publication, "all_reduce", 1, "wrong").form == "exact");
  CHECK(*figure(publication, "", std::nullopt, "average-bus-bandwidth").value ==
        Approx(301.938659e9));
}

TEST_CASE("devices are counted where the file lists one for each process only", "[import]") {
  const auto devices = [](const std::string& text) {
    return figure(import_text(text).publication, "all_reduce", 1, "time").conditions;
  };
  const std::string two_each = changed(kNcclJson, R"("ngpus":1)", R"("ngpus":2)");

  // Ranks 0, 1, 2, 3: all are listed. With ranks 0 and 2 alone, those between are left out.
  CHECK_THAT(devices(two_each), Contains(R"("devices":"4")"));
  std::string one_for_two = two_each;
  const std::size_t second = one_for_two.find(R"({"rank":1)");
  one_for_two.erase(second, one_for_two.find(R"({"rank":2)") - second);
  const std::size_t fourth = one_for_two.find(R"(,{"rank":3)");
  one_for_two.erase(fourth, one_for_two.find("]}", fourth) - fourth);
  CHECK_THAT(devices(one_for_two), Contains(R"("devices":"4")"));
}

TEST_CASE("what was not run or not checked is absent", "[import]") {
  const std::string text = read_file(data_file(kNcclJson));
  const std::size_t place = text.find(R"({"time":62.970475)");
  const std::string without =
      text.substr(0, place) + "null" + text.substr(text.find('}', place) + 1);

  const PublicationRow publication = import_text(without).publication;

  CHECK_THROWS(figure(publication, "all_reduce", 1, "time"));
  CHECK(figure(publication, "all_reduce", 1, "in_place_time").printed == "62.803725");
  CHECK(import_text(changed(kNcclJson, R"("nwrong":0.000000)", R"("nwrong":null)"))
            .publication.figures.size() == 11 * 8);
}

TEST_CASE("CPU time is no latency", "[import]") {
  std::string text = read_file(data_file(kNcclJson));
  for (std::size_t at = text.find("{\"time\""); at != std::string::npos;
       at = text.find("{\"time\"", at)) {
    text.replace(at, 7, "{\"cpu_time\"");
  }

  const PublicationRow publication = import_text(text).publication;

  CHECK(figure(publication, "all_reduce", 1, "cputime").quantity == "time");
}

TEST_CASE("wrong results are noted", "[import]") {
  const ImportedSource source =
      import_text(changed(kNcclJson, R"("count":0,"okay")", R"("count":3,"okay")"));

  CHECK_THAT(source.notes.at(0), Contains("3 values out of bounds"));
}

TEST_CASE("a file that is cut off is refused with its place", "[import]") {
  const std::string text = read_file(data_file(kNcclJson));

  CHECK_THAT(problem_of(text.substr(0, 3000)),
             Contains("input.txt:1:3001: the JSON ends here, before it is complete"));
}

TEST_CASE("members that are missing or of another kind are refused with their place", "[import]") {
  const std::string text = read_file(data_file(kNcclJson));
  const auto column = [&](const std::string& part) {
    return ":1:" + std::to_string(text.find(part) + 1) + ": ";
  };

  CHECK_THAT(problem_of(changed(kNcclJson, R"("alg_bw":133.214939,)", "")),
             Contains(column(R"({"time":62.970475)") + "\"alg_bw\" is missing"));
  CHECK_THAT(problem_of(changed(kNcclJson, "62.970475", R"("nan")")),
             Contains(column("62.970475") + "\"time\" is a text (nan); a number is required"));
  CHECK_THAT(problem_of(changed(kNcclJson, R"("average_bus_bandwidth")", R"("average")")),
             Contains("\"average_bus_bandwidth\" is missing"));
}

TEST_CASE("groups that ran at the same time give no number of devices", "[import]") {
  const ImportedSource source =
      import_text(changed(kNcclJson, R"("rank":1,"group":0)", R"("rank":1,"group":1)"));

  CHECK_THAT(figure(source.publication, "all_reduce", 1, "time").conditions, !Contains("devices"));
  REQUIRE(source.notes.size() == 1);
  CHECK_THAT(source.notes[0], Contains("4 ranks ran as 2 groups at the same time"));
}

TEST_CASE("the JSON's devices and average are checked against its rows", "[import]") {
  // Two of the four ranks are gone: bus bandwidth is still 1.5 times algorithm bandwidth.
  std::string text = read_file(data_file(kNcclJson));
  const std::size_t third = text.find(R"(,{"rank":2)");
  text.erase(third, text.find("]}", third) - third);
  const ImportedSource fewer = import_text(text);
  CHECK_THAT(figure(fewer.publication, "all_reduce", 1, "time").conditions, !Contains("devices"));
  REQUIRE(fewer.notes.size() == 1);
  CHECK_THAT(fewer.notes[0], Contains("2 ranks are listed") && Contains("it is 1.5 times"));

  const ImportedSource other = import_text(changed(kNcclJson, "301.938659", "311.938659"));
  REQUIRE(other.notes.size() == 1);
  CHECK_THAT(other.notes[0],
             Contains("average bus bandwidth is 311.938659 GB/s") && Contains("301.9 GB/s"));
  CHECK(import_file(data_file(kNcclJson)).notes.empty());
}

TEST_CASE("a rank that is listed twice or is missing is told", "[import]") {
  CHECK_THAT(problem_of(changed(kNcclJson, R"({"rank":1)", R"({"rank":0)")),
             Contains("rank 0 appears twice"));
  const ImportedSource source = import_text(changed(kNcclJson, R"({"rank":3)", R"({"rank":7)"));
  CHECK_THAT(figure(source.publication, "all_reduce", 1, "time").conditions, !Contains("devices"));
  CHECK_THAT(source.notes.at(0), Contains("4 ranks are listed, the highest is 7"));
}

TEST_CASE("each iteration is a figure of its own, and percentiles are named", "[import]") {
  const ImportedSource source = import_text(with_iterations());
  const PublicationRow& publication = source.publication;

  const PublishedFigureRow second = figure(publication, "all_reduce_iterations", 2, "time");
  CHECK(*second.value == Approx(61.5e-6));
  CHECK(second.conditions ==
        R"({"devices":"4","hardware":"NVIDIA H100","iteration":"2","message_bytes":"8388608",)"
        R"("nodes":"1","operation":"all_reduce","place":"out_of_place","precision":"fp32",)"
        R"("redop":"sum"})");
  CHECK_THAT(figure(publication, "all_reduce_iterations", 1, "time").conditions,
             Contains(R"("skipped":"yes")"));
  CHECK_THROWS(figure(publication, "all_reduce_iterations", 4, "time"));
  const PublishedFigureRow percentile = figure(publication, "all_reduce", 1, "iteration_p95");
  CHECK(percentile.printed == "70.0");
  CHECK_THAT(percentile.conditions, Contains(R"("statistic":"p95")"));
  CHECK(*figure(publication, "all_reduce", 1, "iteration_cv").value == Approx(0.0546875));
  CHECK_THROWS(figure(publication, "all_reduce", 2, "iteration_p95"));  // that size has none
  REQUIRE(source.notes.size() == 1);
  CHECK_THAT(source.notes[0], Contains("times of single processes are left out"));
}

TEST_CASE("what NCCL chose is a condition of the size", "[import]") {
  const ImportedSource source = import_text(with_iterations());

  CHECK_THAT(
      figure(source.publication, "all_reduce", 1, "time").conditions,
      Contains(R"("tuning_algorithm":"RING","tuning_channels":"24",)"
               R"("tuning_implementation":"GEN","tuning_protocol":"LL","tuning_warps":"16")"));
  CHECK_THAT(figure(source.publication, "all_reduce", 2, "time").conditions, !Contains("tuning"));
  std::string other = with_iterations();
  other.replace(other.find("netChunkSize"), 12, "colour");
  CHECK_THAT(import_text(other).notes.at(0), Contains(R"("colour" of "tuning" is left out)"));
}

TEST_CASE("a time of an iteration that is no number is refused", "[import]") {
  std::string text = with_iterations();
  text.replace(text.find("70.25],"), 5, R"("nan")");

  CHECK_THAT(problem_of(text), Contains(R"("times_us" may hold numbers only)"));
}

TEST_CASE("bits that differ between repeats are counted for each place", "[import]") {
  const PublicationRow publication =
      import_text(changed(kNcclJson,
                          R"("nwrong":0.000000})",
                          R"("nwrong":0.000000,"bitwise":{"repeats":3,"different_bits":7}})"))
          .publication;

  CHECK(figure(publication, "all_reduce", 1, "different_bits").printed == "7");
}
