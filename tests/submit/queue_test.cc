#include "harness/submit/queue.h"

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("the queue is read by index in the array, whatever else stands in it", "[submit]") {
  const auto jobs = read_queue(
      "1|RUNNING|n[0-1]|None\n2|PENDING||Resources\nN/A|RUNNING|n3|None\nslurm_load_jobs error\n");

  REQUIRE(jobs.size() == 2);
  CHECK(jobs.at(1).state == "RUNNING");
  CHECK(jobs.at(1).nodes == "n[0-1]");
  CHECK(jobs.at(2).state == "PENDING");
  CHECK(jobs.at(2).nodes.empty());
  CHECK(jobs.at(2).reason == "Resources");
  CHECK(read_queue("").empty());
}

TEST_CASE("a job of no array is a follow-up", "[submit]") {
  CHECK(has_follow_up("1-4\nN/A\n"));
  CHECK_FALSE(has_follow_up("1-4\n3\n"));
  CHECK_FALSE(has_follow_up(""));
}
