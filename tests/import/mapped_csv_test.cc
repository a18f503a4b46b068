// CSV with a column map.
#include <string>
#include <vector>

#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

const std::string kText =
    "model,GPUs,time [ms],speed,note\n"
    "mlp,2,1.9,135K img/s,\"fast, they say\"\n"
    "mlp,4,~1.1,N/A,\n";

std::string problem_of_map(const std::vector<std::string>& column_map) {
  return problem_of(kText, std::nullopt, column_map);
}

}  // namespace

TEST_CASE("mapped columns become figures and conditions, others are left out", "[import]") {
  const PublicationRow publication =
      import_text(kText,
                  {"model=model", "GPUs=devices", "time [ms]=step_time:ms", "speed=throughput"})
          .publication;

  CHECK(publication.kind == PublicationKind::kCsv);
  REQUIRE(publication.figures.size() == 3);  // the second speed is absent
  const PublishedFigureRow time = figure(publication, "table", 1, "time [ms]");
  CHECK(time.conditions == R"({"devices":"2","model":"mlp"})");
  CHECK(*time.value == Approx(0.0019));
  CHECK(time.printed_unit == "ms");
  CHECK(figure(publication, "table", 2, "time [ms]").form == "approximate");
  CHECK(*figure(publication, "table", 1, "speed").value == Approx(135'000));
}

TEST_CASE("a file of another tool is read by its map", "[import]") {
  const PublicationRow publication =
      import_file(data_file("hyperfine.csv"), {"parameter_devices=devices", "mean=time:s"})
          .publication;

  CHECK(publication.figures.size() == 2);
  CHECK(*figure(publication, "table", 2, "mean").value == 0.59338900656);
  CHECK(figure(publication, "table", 2, "mean").conditions == R"({"devices":"2"})");
}

TEST_CASE("a map that does not fit says what would", "[import]") {
  CHECK_THAT(
      problem_of_map({"GPU=devices"}),
      Contains("no column named \"GPU\"") && Contains("model, GPUs, time [ms], speed, note"));
  CHECK_THAT(problem_of_map({"speed=throughputt"}), Contains("did you mean throughput?"));
  CHECK_THAT(problem_of_map({"speed=throughput:ms"}),
             Contains("\"ms\" is not a unit of throughput"));
  CHECK_THAT(problem_of_map({"speed"}), Contains("column=quantity"));
  CHECK_THAT(problem_of_map({"speed=throughput", "speed=rate"}), Contains("more than once"));
  CHECK_THAT(problem_of("a,a\n1,2\n", std::nullopt, {"a=devices"}),
             Contains("several columns named \"a\""));
}

TEST_CASE("without a map the columns are named", "[import]") {
  CHECK_THAT(problem_of(kText, PublicationKind::kCsv),
             Contains("--map") && Contains("model, GPUs, time [ms], speed, note"));
}

TEST_CASE("cells and rows that do not fit are refused with their place", "[import]") {
  CHECK_THAT(problem_of("gpus,time\n2,fast\n", std::nullopt, {"time=step_time:ms"}),
             Contains("input.txt:2:3: ") && Contains("fast"));
  CHECK_THAT(problem_of("gpus,time\n2,3 min\n", std::nullopt, {"time=step_time:ms"}),
             Contains("input.txt:2:3: ") && Contains("units disagree"));
  CHECK_THAT(problem_of("gpus,time\n2\n", std::nullopt, {"time=step_time:ms"}),
             Contains("input.txt:2:1: ") && Contains("1 fields, the head 2"));
  CHECK_THAT(problem_of("gpus,time\n2,\"3", std::nullopt, {"time=step_time:ms"}),
             Contains("input.txt:2:3: this quote is never closed"));
  CHECK_THAT(problem_of("gpus,time\n", std::nullopt, {"time=step_time:ms"}), Contains("no rows"));
}

TEST_CASE("a count of devices and a time that no run has are refused", "[import]") {
  const std::vector<std::string> map = {"gpus=devices", "time=step_time:ms"};

  CHECK_THAT(problem_of("gpus,time\n1.5,-5\n0,0.0\n", std::nullopt, map),
             Contains("input.txt:2:1: 1.5: devices is a whole number from 1\n") &&
                 Contains("input.txt:2:5: -5: step_time cannot be negative\n") &&
                 Contains("input.txt:3:1: 0: devices is a whole number from 1\n") &&
                 !Contains("3:3"));  // a short time rounded to nothing
  CHECK(import_text("gpus,change\n2,-5%\n", {"gpus=devices", "change=change"})
            .publication.figures.size() == 1);
}

TEST_CASE("a percentage that is mapped as a ratio is refused, with the unit to write", "[import]") {
  const std::string text = "gpus,Eff,mfu\n2,85,0.4\n4,2.9,0.38\n8,85%,0.35\n";
  const std::string told =
      "input.txt:2:3: 85: efficiency without a unit is a ratio, and 1 is 100 %; if this is a "
      "percentage, write --map \"Eff=efficiency:%\", else \"Eff=efficiency:x\"";
  const auto value = [](const std::string& cell, const std::string& quantity) {
    return *figure(import_text("a\n" + cell + "\n", {"a=" + quantity}).publication, "table", 1, "a")
                .value;
  };

  CHECK_THAT(problem_of(text, std::nullopt, {"gpus=devices", "Eff=efficiency"}),
             Contains(told) && !Contains(":3:3: ") && !Contains(":4:3: "));
  for (const char* quantity : {"mfu",
                               "share",
                               "utilization",
                               "accuracy",
                               "parallel_fraction",
                               "overhead",
                               "memory_share",
                               "memory_saving",
                               "saving"}) {
    CAPTURE(quantity);
    CHECK_THAT(problem_of("a\n65.4\n", std::nullopt, {std::string("a=") + quantity}),
               Contains("input.txt:2:1: 65.4: " + std::string(quantity) + " without a unit"));
    CHECK(value("65.4", std::string(quantity) + ":%") == Approx(0.654));
  }
  CHECK(value("85", "efficiency:x") == 85.0);
  CHECK(value("2.9", "efficiency") == 2.9);
  CHECK(value("100%", "mfu") == 1.0);
  CHECK(value("1", "share") == 1.0);
  CHECK(value("85", "speedup") == 85.0);
}
