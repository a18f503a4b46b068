// What is recorded of GPUs, over the stand-in for CUPTI (tests/cuda/cupti.cc).
#include "workloads/cuda/activity.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "tests/cuda/cupti.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "workloads/rank/error.h"

using namespace scalestudy;
using Catch::Contains;
using Catch::Equals;
using cuda::Activities;
using cuda::ActivityRecorder;

namespace {

constexpr int kMajor = 13;

// A variable of the environment as long as it lives.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

const std::string kToolkit = SCALESTUDY_FAKE_TOOLKIT;

void plant(const test::RecordBytes& record) {
  void* const library = dlopen(SCALESTUDY_FAKE_CUPTI, RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  reinterpret_cast<test::PlantRecord*>(dlsym(library, test::kPlantRecord))(record.data(),
                                                                           record.size());
}

std::string why_not(int major = kMajor) {
  try {
    const ActivityRecorder recorder(major);
  } catch (const rank::WorkloadError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a version that is no number is a reason to record nothing", "[cuda]") {
  CHECK(cuda::major_version("13.0") == 13);
  for (const std::string version : {"", "unknown", "v13"}) {
    CHECK_THROWS_WITH(cuda::major_version(version), Contains("'" + version + "'"));
    CHECK_THROWS_AS(cuda::major_version(version), rank::WorkloadError);
  }
}

TEST_CASE("records of CUPTI become named activities in order of their begin", "[cuda]") {
  const Variable home("CUDA_HOME", kToolkit);
  ActivityRecorder recorder(kMajor);
  plant(test::kernel_record("_Z4sumsPfi", 3000, 3500, 7));
  plant(test::kernel_record("nvjet_hsh_64x8", 1000, 1500, 9));
  plant(test::transfer_record(cuda::cupti::kMemcpy, 2, 4096, 2000, 2500, 7));
  plant(test::transfer_record(cuda::cupti::kMemset, 0, 64, 2600, 2700, 7));
  plant(test::kernel_record("_Z4sumsPfi", 4000, 4000, 7));

  const Activities activities = recorder.stop();

  REQUIRE(activities.all.size() == 5);
  const auto name = [&](std::size_t i) { return activities.names.at(activities.all.at(i).name); };
  CHECK(name(0) == "nvjet_hsh_64x8");
  CHECK(name(1) == "memcpy device to host");
  CHECK(name(2) == "memset");
  CHECK(name(3) == "sums(float*, int)");
  CHECK(activities.all[4].name == activities.all[3].name);
  CHECK(activities.all[0].stream == 9);
  CHECK(activities.all[0].context == 1);
  CHECK(activities.all[0].from_ns == 1000);
  CHECK(activities.all[0].until_ns == 1500);
  CHECK_FALSE(activities.all[0].bytes.has_value());
  CHECK(activities.all[1].bytes == 4096);
  CHECK(activities.all[2].bytes == 64);
  CHECK(activities.dropped + activities.unknown + activities.untimed == 0);
  CHECK(activities.incomplete.empty());
}

TEST_CASE("a record that cannot be shown is counted, and one without a name is shown", "[cuda]") {
  const Variable home("CUDA_HOME", kToolkit);
  ActivityRecorder recorder(kMajor);
  plant(test::kernel_record(nullptr, 1000, 2000, 7));
  plant(test::record_of_kind(4711));
  plant(test::kernel_record("late", 0, 0, 7));        // as where CUPTI has no memory for times
  plant(test::kernel_record("turned", 900, 800, 7));  // as where they are not times
  plant(test::kernel_record("behind", 3000, 4000, 7));

  const Activities activities = recorder.stop();

  REQUIRE(activities.all.size() == 2);
  CHECK(activities.names.at(activities.all[0].name) == "kernel without a name");
  CHECK(activities.names.at(activities.all[1].name) == "behind");
  CHECK(activities.unknown == 1);
  CHECK(activities.untimed == 2);
}

// Of 216 bytes a record, 4 fit into 1000: two buffers hold 8 of 20.
TEST_CASE("records beyond the room for them are dropped and counted", "[cuda]") {
  const Variable home("CUDA_HOME", kToolkit);
  ActivityRecorder recorder(kMajor, {.buffer_bytes = 1000, .buffers = 2});
  for (std::uint64_t i = 0; i < 20; ++i) {
    plant(test::kernel_record("k", 1000 + i, 1001 + i, 7));
  }

  const Activities activities = recorder.stop();

  CHECK(activities.all.size() == 8);
  CHECK(activities.all.back().from_ns == 1007);
  CHECK(activities.dropped == 12);

  ActivityRecorder again(kMajor);
  plant(test::kernel_record("k", 1000, 1001, 7));
  const Activities later = again.stop();
  CHECK(later.all.size() == 1);
  CHECK(later.dropped == 0);
}

TEST_CASE("a CUPTI that cannot record says why", "[cuda]") {
  CHECK_THAT(why_not(99), Contains("libcupti.so.99") && Contains("CUDA_HOME"));
  {
    const test::TemporaryFolder folder;
    const Variable home("CUDA_HOME", folder.path().string());
    std::filesystem::create_directories(folder.path() / "lib64");
    test::write_file(folder.path() / "lib64" / "libcupti.so.13", "no library");
    CHECK_THAT(why_not(), Contains(folder.file("lib64/libcupti.so.13")));
  }
  const Variable home("CUDA_HOME", kToolkit);
  {
    const Variable version("SCALESTUDY_CUPTI_VERSION", "140000");
    CHECK_THAT(why_not(), Contains("140000") && Contains("CUDA 13"));
  }
  {
    const Variable fails("SCALESTUDY_CUPTI_FAILS", "Enable");
    CHECK_THAT(why_not(), Contains("cuptiActivityEnable: CUPTI_ERROR_UNKNOWN (999)"));
  }
  {
    const Variable profiler("CUDA_INJECTION64_PATH", "/opt/profiler.so");
    CHECK_THAT(why_not(), Contains("/opt/profiler.so"));
  }
  CHECK_THAT(why_not(), Equals(""));
}

TEST_CASE("versions of CUPTI before CUDA 13 counted otherwise are known too", "[cuda]") {
  const Variable home("CUDA_HOME", kToolkit);
  const Variable version("SCALESTUDY_CUPTI_VERSION", "28");

  CHECK_THAT(why_not(), Equals(""));
}

TEST_CASE("CUPTI is found where a toolkit for several machines has it", "[cuda]") {
  const test::TemporaryFolder folder;
  const Variable home("CUDA_HOME", folder.path().string());
  const Variable loaded("SCALESTUDY_CUPTI_LOADED", folder.file("loaded"));
#ifdef __aarch64__
  const auto libraries = folder.path() / "targets" / "sbsa-linux" / "lib";
#else
  const auto libraries = folder.path() / "targets" / "x86_64-linux" / "lib";
#endif
  std::filesystem::create_directories(libraries);
  std::filesystem::copy(SCALESTUDY_FAKE_CUPTI, libraries / "libcupti.so.13");

  CHECK_THAT(why_not(), Equals(""));
  CHECK(std::filesystem::exists(folder.file("loaded")));
}

TEST_CASE("records that CUPTI does not hand over are told of", "[cuda]") {
  const Variable home("CUDA_HOME", kToolkit);
  ActivityRecorder recorder(kMajor);
  const Variable fails("SCALESTUDY_CUPTI_FAILS", "FlushAll");

  CHECK(recorder.stop().incomplete == "cuptiActivityFlushAll: CUPTI_ERROR_UNKNOWN (999)");
}
