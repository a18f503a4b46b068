#include "harness/host/system_machine.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include <sched.h>

#include "tests/host/fake_root.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::FakeRoot;

namespace {

std::string fact(SystemMachine& machine, const std::string& name) {
  for (const auto& [key, value] : machine.environment()) {
    if (key == name) {
      return value;
    }
  }
  return "absent";
}

}  // namespace

TEST_CASE("cores multiply bf16 where the kernel names AVX-512 BF16 or AMX", "[host]") {
  const FakeRoot root;
  for (const auto& [flags, has] : {std::pair("fpu avx512f", false),
                                   std::pair("fpu avx512_bf16 avx512f", true),
                                   std::pair("amx_bf16", true)}) {
    root.put("proc/cpuinfo", std::string("model name\t: Fake CPU\nflags\t\t: ") + flags + "\n");
    CHECK(SystemMachine(root.path()).has_bf16_cores() == has);
  }
}

TEST_CASE("hardware threads of one core count once", "[host]") {
  const FakeRoot root;
  root.put_siblings(0, "0,2\n");
  root.put_siblings(1, "1,3\n");
  root.put_siblings(2, "0,2\n");

  CHECK(physical_cores({0, 1, 2}, root.path()) == 2);
  CHECK(physical_cores({0, 2}, root.path()) == 1);
  CHECK(physical_cores({7, 8}, root.path()) == 2);  // nothing known of them
}

TEST_CASE("the tightest CPU limit on the way up counts, in both cgroup versions", "[host]") {
  const FakeRoot root;
  CHECK_FALSE(cpu_limit(root.path()).has_value());

  root.put("proc/self/cgroup", "2:cpu,cpuacct:/job\n0::/a/b\n");
  CHECK_FALSE(cpu_limit(root.path()).has_value());

  root.put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  root.put("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  CHECK(cpu_limit(root.path()) == Approx(3.0));

  root.put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
  root.put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  CHECK(cpu_limit(root.path()) == Approx(1.5));
}

TEST_CASE("cores are bounded by the CPU limit and never none", "[host]") {
  const FakeRoot root;
  root.put("proc/self/cgroup", "0::/\n");
  root.put("sys/fs/cgroup/cpu.max", "50000 100000\n");

  CHECK(SystemMachine(root.path()).cores() == 1);
}

TEST_CASE("a memory limit is read, and its absence in either spelling", "[host]") {
  const FakeRoot root;
  root.put("proc/self/cgroup", "4:memory:/m\n0::/a\n");
  root.put("sys/fs/cgroup/a/memory.max", "max\n");
  root.put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK_FALSE(memory_limit_bytes(root.path()).has_value());

  root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
  CHECK(memory_limit_bytes(root.path()) == Approx(1e6));
}

TEST_CASE("out-of-memory kills are the cgroup's, else the machine's", "[host]") {
  const FakeRoot root;
  SystemMachine machine(root.path());
  CHECK_FALSE(machine.oom_kills().has_value());

  root.put("proc/vmstat", "nr_free_pages 1\noom_kill 7\n");
  CHECK(machine.oom_kills() == 7);

  root.put("proc/self/cgroup", "4:memory:/m\n");
  root.put("sys/fs/cgroup/memory/m/memory.oom_control",
           "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  CHECK(machine.oom_kills() == 3);

  root.put("proc/self/cgroup", "0::/a\n");
  root.put("sys/fs/cgroup/a/memory.events", "low 0\noom 2\noom_kill 1\n");
  CHECK(machine.oom_kills() == 1);
}

TEST_CASE("facts of the machine come from its files", "[host]") {
  const FakeRoot root;
  root.put("proc/cpuinfo", "model name\t: Fake CPU\nflags\t\t: fpu hypervisor\n");
  root.put("proc/meminfo", "MemTotal:       1000 kB\n");
  root.put("etc/os-release", "PRETTY_NAME=\"Fake OS 1\"\n");
  root.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  SystemMachine machine(root.path());

  CHECK(fact(machine, "cpu_model") == "Fake CPU");
  CHECK(fact(machine, "memory_bytes") == "1024000");
  CHECK(fact(machine, "os") == "Fake OS 1");
  CHECK(fact(machine, "governor") == "performance");
  CHECK(fact(machine, "hypervisor") == "yes");
  CHECK(fact(machine, "container") == "absent");
}

TEST_CASE("no variable of the user's environment is among the facts", "[host]") {
  setenv("SECRET_TOKEN", "hunter2-secret", 1);
  SystemMachine machine;

  const auto facts = machine.environment();

  CHECK(std::none_of(facts.begin(), facts.end(), [](const auto& one) {
    return one.second.find("hunter2") != std::string::npos;
  }));
}

TEST_CASE("CPUs that this process may not use are no load of its own", "[host]") {
  const FakeRoot root;
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof(before), &before) == 0);
  int own = 0;
  while (!CPU_ISSET(own, &before)) {
    ++own;
  }
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(own, &only);
  const auto ticks = std::to_string(sysconf(_SC_CLK_TCK));
  root.put("proc/stat",
           "cpu  999999 0 0 0\ncpu" + std::to_string(own) + " " + ticks + " 0 0 0\ncpu" +
               std::to_string(own + 1) + " 999999 0 0 0\n");

  REQUIRE(sched_setaffinity(0, sizeof(only), &only) == 0);
  const CpuTimes times = SystemMachine(root.path()).cpu_times();
  REQUIRE(sched_setaffinity(0, sizeof(before), &before) == 0);

  CHECK(times.busy_s == Approx(1.0));
}

TEST_CASE("this machine has a name, a core and a clock that runs", "[host]") {
  SystemMachine machine;

  CHECK_FALSE(machine.host_name().empty());
  CHECK(machine.cores() >= 1);
  const CpuTimes before = machine.cpu_times();
  CHECK(before.busy_s > 0.0);
  CHECK(machine.cpu_times().busy_s >= before.busy_s);
}

TEST_CASE("caches and NUMA nodes are facts, where the kernel shows them", "[host]") {
  const FakeRoot root;
  const std::string cache = "sys/devices/system/cpu/cpu0/cache/";
  for (const auto& [index, level, type, size] : {std::tuple("index0/", "1", "Data", "48K"),
                                                 std::tuple("index1/", "1", "Instruction", "32K"),
                                                 std::tuple("index2/", "3", "Unified", "32768K")}) {
    root.put(cache + index + "level", std::string(level) + "\n");
    root.put(cache + index + "type", std::string(type) + "\n");
    root.put(cache + index + "size", std::string(size) + "\n");
    root.put(cache + index + "shared_cpu_list", "0-1\n");
  }
  root.put("sys/devices/system/node/online", "0-3\n");
  root.put("sys/devices/system/node/node0/cpulist", "0-1\n");
  root.put("sys/devices/system/node/node1/cpulist", "\n");  // memory alone
  root.put("sys/devices/system/node/node2/cpulist", "2,4\n");
  SystemMachine machine(root.path());
  const FakeRoot empty;
  SystemMachine bare(empty.path());

  CHECK(fact(machine, "caches") == "L1: 48K, cores 0-1; L3: 32768K, cores 0-1");
  CHECK(fact(machine, "numa_nodes") == "0-3");
  CHECK(fact(machine, "numa_cpus") == "node 0: 0-1; node 2: 2,4");
  CHECK(fact(bare, "caches") == "absent");
  CHECK(fact(bare, "numa_nodes") == "absent");
  CHECK(fact(bare, "numa_cpus") == "absent");
}
