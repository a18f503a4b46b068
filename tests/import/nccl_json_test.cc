// nccl-tests -J.
#include <string>

#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

const std::string kNcclJson = "nccl_all_reduce.json";

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
             Contains("input.txt:1:3001: this is no valid JSON: "));
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
