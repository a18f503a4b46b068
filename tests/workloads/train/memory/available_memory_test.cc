#include "workloads/train/memory/available_memory.h"

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;

namespace {

// A machine as its files tell of it; 8,000 kB are available.
class Machine {
 public:
  Machine() {
    write("proc/meminfo", "MemTotal:       16000 kB\nMemAvailable:    8000 kB\nCached: 1 kB\n");
  }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(file(path)).parent_path());
    test::write_file(file(path), text);
  }

  std::optional<std::size_t> available() const {
    return train::available_memory_bytes(folder_.path());
  }

 private:
  std::string file(const std::string& path) const { return folder_.file(path); }

  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("without a control group the machine's own memory is what there is", "[train]") {
  const Machine machine;

  CHECK(machine.available() == 8000U * 1024U);
}

TEST_CASE("cached files that can be given up are no memory in use", "[train]") {
  const Machine machine;
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/memory.max", "5000000\n");
  machine.write("sys/fs/cgroup/memory.current", "4900000\n");
  machine.write("sys/fs/cgroup/memory.stat", "anon 900000\nfile 4000000\ninactive_file 3000000\n");

  CHECK(machine.available() == 5000000U - 1900000U);
}

TEST_CASE("the process's own group counts, and every group above it", "[train]") {
  const Machine machine;
  machine.write("proc/self/cgroup", "0::/slurm/job_7\n");
  machine.write("sys/fs/cgroup/slurm/job_7/memory.max", "2000000\n");
  machine.write("sys/fs/cgroup/slurm/job_7/memory.current", "500000\n");
  CHECK(machine.available() == 1500000U);

  machine.write("sys/fs/cgroup/slurm/memory.max", "1000000\n");
  machine.write("sys/fs/cgroup/slurm/memory.current", "600000\n");
  CHECK(machine.available() == 400000U);

  machine.write("sys/fs/cgroup/slurm/memory.max", "max\n");
  CHECK(machine.available() == 1500000U);
}

TEST_CASE("control groups of the first version are read as well", "[train]") {
  const Machine machine;
  machine.write("proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/job\n0::/\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "700000\n");
  machine.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000000\n");
  machine.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "900000\n");
  machine.write("sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 200000\n");

  CHECK(machine.available() == 300000U);
}

TEST_CASE("a group that holds more than its limit has nothing left", "[train]") {
  const Machine machine;
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/memory.max", "1000\n");
  machine.write("sys/fs/cgroup/memory.current", "2000\n");

  CHECK(machine.available() == 0U);
}
