#include "harness/host/proc_text.h"

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("busy time is user, nice, system, irq and softirq, and steal stands apart", "[host]") {
  // user nice system idle iowait irq softirq steal guest guest_nice, in ticks of 10 ms
  const CpuTimes times = parse_cpu_times(
      "cpu  100 20 30 4000 500 6 7 80 9 1\ncpu0 50 10 15 2000 250 3 3 40 4 0\n", {}, 100.0);

  CHECK(times.busy_s == Approx(1.63));
  CHECK(times.steal_s == Approx(0.8));
  CHECK(times.softirq_s == Approx(0.07));
}

TEST_CASE("the CPUs asked for are summed and no others", "[host]") {
  const std::string stat =
      "cpu  600 0 0 0 0 0 0 60\ncpu0 100 0 0 0 0 0 0 10\ncpu1 200 0 0 0 0 0 0 20\n"
      "cpu10 300 0 0 0 0 0 0 30\nintr 1 2\n";

  CHECK(parse_cpu_times(stat, {0}, 100.0).busy_s == Approx(1.0));
  CHECK(parse_cpu_times(stat, {1, 10}, 100.0).busy_s == Approx(5.0));
  CHECK(parse_cpu_times(stat, {1, 10}, 100.0).steal_s == Approx(0.5));
  CHECK(parse_cpu_times("cpu0 0 0 0 0 0 0 3 0\ncpu1 0 0 0 0 0 0 4 0\n", {0, 1}, 100.0).softirq_s ==
        Approx(0.07));
  CHECK(parse_cpu_times(stat, {0, 7}, 100.0).busy_s == Approx(6.0));  // not this file's numbers
}

TEST_CASE("a /proc/stat without its line gives zeros", "[host]") {
  CHECK(parse_cpu_times("intr 1 2\n", {0}, 100.0).busy_s == 0.0);
  CHECK(parse_cpu_times("cpu", {}, 100.0).busy_s == 0.0);
}

TEST_CASE("a CPU list is ranges and single numbers", "[host]") {
  CHECK(parse_cpu_list("0-2,5\n") == std::vector<int>{0, 1, 2, 5});
  CHECK(parse_cpu_list("3") == std::vector<int>{3});
  CHECK(parse_cpu_list("").empty());
  CHECK(parse_cpu_list("x,-,4").back() == 4);
  CHECK(parse_cpu_list("0-9223372036854775807,3") == std::vector<int>{3});
}

TEST_CASE("a CPU quota is its share of the period", "[host]") {
  CHECK(parse_cpu_max("150000 100000\n") == Approx(1.5));
  CHECK_FALSE(parse_cpu_max("max 100000").has_value());
  CHECK_FALSE(parse_cpu_max("-1 100000").has_value());  // v1's "no limit"
  CHECK_FALSE(parse_cpu_max("").has_value());
}

TEST_CASE("a value is found behind its whole key, without quotes", "[host]") {
  const std::string text = "model\t\t: 2\nmodel name\t: AMD EPYC\nNAME=\"Debian GNU/Linux\"\n";

  CHECK(find_value(text, "model name") == "AMD EPYC");
  CHECK(find_value(text, "model") == "2");
  CHECK(find_value(text, "NAME") == "Debian GNU/Linux");
  CHECK_FALSE(find_value(text, "nam").has_value());
}

TEST_CASE("a count is found behind its whole key", "[host]") {
  CHECK(find_count("oom 3\noom_kill 2\n", "oom_kill") == 2);
  CHECK_FALSE(find_count("oom_kill_disable 0\n", "oom_kill").has_value());
}

TEST_CASE("the cgroup of a controller is found in both versions", "[host]") {
  const std::string text = "5:cpu,cpuacct:/a\n4:memory:/b/c\n0::/d\n";

  CHECK(find_cgroup(text, "cpuacct") == "/a");
  CHECK(find_cgroup(text, "memory") == "/b/c");
  CHECK(find_cgroup(text, "") == "/d");
  CHECK_FALSE(find_cgroup("4:memory:/b\n", "").has_value());
}

TEST_CASE("a process tells its name and its CPU time", "[host]") {
  // source: proc(5); fields 14 and 15 are 250 and 50 ticks.
  const std::string stat =
      "42 (a (b) c) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 7 8 20 0 1 0 5 6 7";
  const auto process = parse_process(stat, 100.0);

  REQUIRE(process);
  CHECK(process->name == "a (b) c");
  CHECK(process->cpu_s == 3.0);
  CHECK_FALSE(parse_process("42 (a) S 1 2", 100.0));
  CHECK_FALSE(parse_process("", 100.0));
}
