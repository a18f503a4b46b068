// hyperfine --export-json.
#include <string>

#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

const std::string kHyperfine = "hyperfine.json";

}  // namespace

TEST_CASE("each command's statistics are times, its parameters conditions", "[import]") {
  const PublicationRow publication = import_file(data_file(kHyperfine)).publication;

  CHECK(publication.kind == PublicationKind::kHyperfine);
  CHECK(publication.figures.size() == 2 * 7);
  const PublishedFigureRow mean = figure(publication, "results", 2, "mean");
  CHECK(mean.printed == "0.59338900656");
  CHECK(*mean.value == 0.59338900656);
  CHECK(mean.unit == "s");
  CHECK(mean.quantity == "time");
  CHECK(mean.line == 32);
  CHECK(mean.conditions ==
        R"({"clock":"wall","command":"xz -1 -T 2 --block-size=500KiB -k -c blob",)"
        R"("devices":"2","statistic":"mean"})");
  CHECK_THAT(figure(publication, "results", 1, "user").conditions, Contains(R"("clock":"user")"));
}

TEST_CASE("a parameter that is no setting is a label", "[import]") {
  std::string text = read_file(data_file(kHyperfine));
  for (std::size_t at = text.find("\"devices\""); at != std::string::npos;
       at = text.find("\"devices\"", at)) {
    text.replace(at, 9, "\"compression\"");
  }

  const PublicationRow publication = import_text(text).publication;

  CHECK_THAT(figure(publication, "results", 1, "mean").conditions,
             Contains(R"("compression":"1")"));
}

TEST_CASE("one run has no standard deviation", "[import]") {
  const PublicationRow publication =
      import_text(changed(kHyperfine, "0.12330305864435255", "null")).publication;

  CHECK_THROWS(figure(publication, "results", 1, "stddev"));
  CHECK(publication.figures.size() == 2 * 7 - 1);
}

TEST_CASE("runs that failed are noted", "[import]") {
  const ImportedSource source = import_text(
      changed(kHyperfine, "\"exit_codes\": [\n        0,", "\"exit_codes\": [\n        1,"));

  CHECK_THAT(source.notes.at(0), Contains("line 3: 1 of 5 runs of the command failed"));
}

TEST_CASE("what is missing or no number is refused with its place", "[import]") {
  CHECK_THAT(problem_of(changed(kHyperfine, "\"median\"", "\"middle\"")),
             Contains("input.txt:3:5: \"median\" is missing"));
  CHECK_THAT(problem_of(changed(kHyperfine, "0.6774280137600001", "\"fast\"")),
             Contains("input.txt:7:17: \"median\" is a text (fast); a number is required"));
  CHECK_THAT(problem_of(read_file(data_file(kHyperfine)).substr(0, 400)),
             Contains("input.txt:16:2: the JSON ends here, before it is complete"));
  CHECK_THAT(problem_of(R"({"results": []})", PublicationKind::kHyperfine),
             Contains("input.txt:1:13: \"results\" is empty"));
}

TEST_CASE("hyperfine's own CSV is known by its head", "[import]") {
  const PublicationRow publication = import_file(data_file("hyperfine.csv")).publication;

  CHECK(publication.kind == PublicationKind::kHyperfine);
  CHECK(publication.figures.size() == 2 * 7);
  const PublishedFigureRow mean = figure(publication, "results", 2, "mean");
  CHECK(*mean.value == 0.59338900656);
  CHECK_THAT(mean.conditions, Contains(R"("devices":"2")") && Contains(R"("statistic":"mean")"));
  CHECK_THAT(problem_of("command,mean,stddev,median,user,system,min,max\n"),
             Contains("no command was timed"));
  CHECK_THAT(problem_of("command,mean,stddev,median,user,system,min,max\na,1,2\n"),
             Contains("this row has 3 fields and the head 8"));
  CHECK_THAT(problem_of("command,mean,stddev,median,user,system,min,maximum\na,1,2,3,4,5,6,7\n"),
             Contains("input.txt:1:1: no column max"));
}

TEST_CASE("a parameter may be called as a statistic is", "[import]") {
  const PublicationRow publication =
      import_text(
          "command,mean,stddev,median,user,system,min,max,parameter_min\n"
          "prog 7,1.1,0.1,1.1,0.5,0.25,1.05,1.2,7\n")
          .publication;

  CHECK(*figure(publication, "results", 1, "min").value == 1.05);
  CHECK_THAT(figure(publication, "results", 1, "min").conditions, Contains(R"("min":"7")"));
}

TEST_CASE("numbers in the shortest form that reads back stand for themselves", "[import]") {
  for (const char* name : {"hyperfine.json", "hyperfine.csv"}) {
    CAPTURE(name);
    const PublishedFigureRow mean =
        figure(import_file(data_file(name)).publication, "results", 1, "mean");
    CHECK(*mean.lo == *mean.value);
    CHECK(*mean.hi == *mean.value);
  }
}

TEST_CASE("a mean of 0 and a negative time are refused with their place", "[import]") {
  CHECK_THAT(
      problem_of(changed(kHyperfine, "0.6019457105600001", "0.0")),
      Contains("input.txt:5:15: mean: no command takes 0 s; time it with hyperfine -N, which "
               "subtracts no start of a shell"));
  CHECK_THAT(problem_of(changed(kHyperfine, "0.7028878567600001,", "-0.7,")),
             Contains("input.txt:11:14: max: -0.7 cannot be negative"));
  // The fastest run took as long as the start of the shell, which hyperfine subtracts.
  const PublicationRow publication =
      import_text(changed(kHyperfine, "\"min\": 0.45525127776", "\"min\": 0.0")).publication;
  CHECK(*figure(publication, "results", 1, "min").value == 0.0);
}
