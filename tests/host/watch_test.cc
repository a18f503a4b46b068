// What is read of the machine while a trial runs.
#include "harness/host/watch.h"

#include <unistd.h>

#include "tests/host/fake_root.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"

using namespace scalestudy;
using test::FakeRoot;

namespace {

std::map<std::string, double> by_name(const std::vector<Reading>& readings) {
  std::map<std::string, double> values;
  for (const Reading& reading : readings) {
    values[reading.name] = reading.value;
  }
  return values;
}

void put_machine(const FakeRoot& root, bool is_after) {
  root.put("proc/pressure/cpu",
           is_after ? "some avg10=1.00 avg60=1.00 avg300=1.00 total=1500000\nfull total=7\n"
                    : "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull total=0\n");
  root.put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
           is_after ? "12\n" : "9\n");
  root.put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_total_time_ms",
           is_after ? "1030\n" : "1000\n");
  root.put("proc/stat", is_after ? "cpu1 100 0 80 0 0 10 10 0\n" : "cpu1 90 0 40 0 0 5 5 0\n");
  root.put("sys/class/net/eth0/speed", "1000\n");
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  root.put(port + "rate", "100 Gb/sec (4X EDR)\n");
  root.put(port + "counters/port_rcv_data", is_after ? "1500\n" : "1000\n");
  root.put(port + "counters/port_xmit_data", is_after ? "30000\n" : "20000\n");
  root.put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", is_after ? "9\n" : "2500000\n");
  root.put("sys/class/powercap/intel-rapl:0/energy_uj", is_after ? "6000000\n" : "1000000\n");
  // Its counter begins anew at 10 J.
  root.put("sys/class/powercap/intel-rapl:1/energy_uj", is_after ? "1000000\n" : "9000000\n");
  root.put("sys/class/powercap/intel-rapl:1/max_energy_range_uj", "10000000\n");
  root.put("sys/class/powercap/intel-rapl:0:0/energy_uj", is_after ? "999000000\n" : "0\n");
  root.put("proc/net/dev",
           is_after ? "Inter-|   Receive\n face |bytes    packets\n"
                      "    lo: 50 0 0 0 0 0 0 0 50 0 0 0 0 0 0 0\n"
                      "  eth0: 4100 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n"
                    : "Inter-|   Receive\n face |bytes    packets\n"
                      "    lo: 5 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n"
                      "  eth0: 4000 1 0 0 0 0 0 0 700 1 0 0 0 0 0 0\n");
}

}  // namespace

TEST_CASE("counters are read before and after, clocks meanwhile", "[host]") {
  const FakeRoot root;
  put_machine(root, false);
  test::FakeClock clock;
  clock.now_s = 100.0;
  SystemWatch watch(root.path(), {1}, nullptr, clock);
  watch.look();
  clock.now_s += 0.9;
  put_machine(root, true);
  watch.look();  // within a second: not looked
  clock.now_s += 0.1;

  const auto seen = by_name(watch.end());

  CHECK(seen.at("cpu_throttle_events") == 3.0);
  CHECK(seen.at("cpu_frequency_hz") == 2.5e9);
  CHECK(seen.at("cpu_energy_j") == Approx(7.0));  // of two packages, not of parts of them
  CHECK(seen.at("network_received_bytes") == 100.0);
  CHECK(seen.at("network_sent_bytes") == 200.0);
  CHECK(seen.at("cpu_power_w") == Approx(7.0));  // in 1 s
  CHECK(seen.at("cpu_throttled") == Approx(0.03));
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  CHECK(seen.at("cpu_system_s") == Approx(50.0 / ticks));
  CHECK(seen.at("network_eth0_received_bytes") == 100.0);
  CHECK(seen.at("network_eth0_sent_bytes") == 200.0);
  CHECK(seen.at("network_eth0_share") == Approx(200.0 / 125e6));   // of 1 Gbit/s
  CHECK(seen.at("infiniband_mlx5_0_1_received_bytes") == 2000.0);  // words of 4 bytes
  CHECK(seen.at("infiniband_mlx5_0_1_sent_bytes") == 40'000.0);
  CHECK(seen.at("infiniband_mlx5_0_1_share") == Approx(40'000.0 / 12.5e9));
  CHECK_FALSE(seen.contains("network_lo_received_bytes"));
  CHECK(seen.at("cpu_pressure") == Approx(0.5));
}

TEST_CASE("counters are told for a part of the time, between the looks within it", "[host]") {
  const FakeRoot root;
  put_machine(root, false);
  test::FakeClock clock;
  clock.now_s = 100.0;
  SystemWatch watch(root.path(), {1}, nullptr, clock);
  watch.look();
  put_machine(root, true);
  clock.now_s = 101.5;
  watch.look();
  root.put("sys/class/powercap/intel-rapl:0/energy_uj", "99000000\n");
  clock.now_s = 103.0;
  watch.look();

  const auto seen = by_name(watch.between(99.9, 102.0));

  CHECK(seen.at("measured_s") == Approx(1.5));
  CHECK(seen.at("measured_cpu_energy_j") == Approx(7.0));  // and not what came after
  CHECK(seen.at("measured_network_eth0_sent_bytes") == 200.0);
  CHECK(seen.at("measured_network_eth0_share") == Approx(200.0 / 125e6 / 1.5));
  CHECK(by_name(watch.between(99.9, 103.1)).at("measured_cpu_energy_j") == Approx(100.0));
  CHECK(watch.between(102.0, 103.1).empty());  // one look
}

TEST_CASE(
    "energy is counted on each time a counter begins anew, and not of all the machine besides",
    "[host]") {
  const FakeRoot root;
  const std::string zone = "sys/class/powercap/intel-rapl:";
  const auto put = [&](const char* microjoule) {
    root.put(zone + "0/energy_uj", microjoule);
    root.put(zone + "1/energy_uj", microjoule);
  };
  root.put(zone + "0/name", "package-0\n");
  root.put(zone + "1/name", "psys\n");
  for (const char* of : {"0", "1"}) {
    root.put(zone + of + "/max_energy_range_uj", "10000000\n");
  }
  test::FakeClock clock;
  clock.now_s = 100.0;
  put("9000000\n");
  SystemWatch watch(root.path(), {1}, nullptr, clock);
  for (const char* microjoule : {"2000000\n", "8000000\n", "1000000\n"}) {
    clock.now_s += 600.0;
    put(microjoule);
    watch.look();
  }
  clock.now_s += 600.0;
  put("500000\n");

  // Of 10 J: from 9 to 12 and 18, 21, 30.5.
  CHECK(by_name(watch.between(0.0, 1e9)).at("measured_cpu_energy_j") == Approx(9.0));
  CHECK(by_name(watch.end()).at("cpu_energy_j") == Approx(21.5));
}

TEST_CASE("a counter that begins anew at an untold energy tells of what is after it alone",
          "[host]") {
  const FakeRoot root;
  test::FakeClock clock;
  clock.now_s = 100.0;
  SystemWatch watch(root.path(), {1}, nullptr, clock);
  for (const char* microjoule : {"9000000\n", "2000000\n", "5000000\n", "1000000\n", "4000000\n"}) {
    root.put("sys/class/powercap/intel-rapl:0/energy_uj", microjoule);
    watch.look();
    clock.now_s += 10.0;
  }
  const auto energy_j = [&](double from_s, double until_s) {
    const auto told = by_name(watch.between(from_s, until_s));
    return told.contains("measured_cpu_energy_j") ? told.at("measured_cpu_energy_j") : -1.0;
  };

  CHECK(energy_j(110.0, 120.0) == Approx(3.0));
  CHECK(energy_j(130.0, 140.0) == Approx(3.0));
  CHECK(energy_j(100.0, 120.0) == -1.0);
  CHECK(energy_j(110.0, 140.0) == -1.0);  // though 4 J are more than 2
}

TEST_CASE("what a machine does not tell, or counts anew, is left out", "[host]") {
  const FakeRoot root;
  const test::FakeClock clock;
  CHECK(SystemWatch(root.path(), {0}, nullptr, clock).end().empty());

  put_machine(root, true);
  SystemWatch watch(root.path(), {1}, nullptr, clock);
  put_machine(root, false);  // smaller: a counter that wrapped
  CHECK_FALSE(by_name(watch.end()).contains("cpu_energy_j"));
}

TEST_CASE("a GPU that heat slows is seen, and its energy counted", "[host]") {
  Nvml nvml(SCALESTUDY_FAKE_NVML);
  REQUIRE(nvml.devices().size() == 2);
  GpuWatch watch(&nvml);
  for (int i = 0; i < 4; ++i) {
    watch.look();
  }

  const auto seen = by_name(watch.end());

  CHECK(seen.at("gpu0_throttled") == 0.5);
  CHECK(seen.at("gpu0_power_capped") == 1.0);
  CHECK(seen.at("gpu1_throttled") == 0.0);  // idle is no throttling
  CHECK(seen.at("gpu0_sm_clock_hz") == 1e9);
  CHECK(seen.at("gpu0_power_w") == 250.0);
  CHECK(seen.at("gpu1_temperature_c") == seen.at("gpu0_temperature_c") + 1.0);
  CHECK(seen.at("gpu0_memory_used_bytes") == 60'000.0);
  CHECK(seen.at("gpu0_memory_share") == 0.75);
  CHECK(seen.at("gpu0_energy_j") == 1000.0);  // GPU 1 was asked in between
  CHECK_FALSE(seen.contains("gpu0_utilization"));
}

TEST_CASE("without NVML there is no GPU to watch", "[host]") {
  Nvml nvml("libno-such-library.so");
  GpuWatch watch(&nvml);
  watch.look();

  CHECK(watch.end().empty());
}

TEST_CASE("the GPUs that trials see have names of their own, and tell their memory", "[host]") {
  const Nvml nvml(SCALESTUDY_FAKE_NVML);
  const auto names = [&](const std::optional<std::string>& visible_devices) {
    std::string all;
    for (const VisibleGpu& gpu : visible_gpus(nvml, visible_devices)) {
      all += gpu.uuid + " ";
    }
    return all;
  };

  CHECK(names(std::nullopt) == "GPU-6f1c GPU-77aa ");
  CHECK(names("1") == "GPU-77aa ");
  CHECK(names("1,0") == "GPU-77aa GPU-6f1c ");
  CHECK(names("GPU-77") == "GPU-77aa ");
  CHECK(names("1,-1,0") == "GPU-77aa ");
  CHECK(names("GPU-99").empty());
  CHECK(names("").empty());
  CHECK(names("MIG-4711") == "GPU-6f1c GPU-77aa ");  // of which one is not known: all are taken
  CHECK(visible_gpus(nvml, "0").at(0).memory_used_bytes == 60'000.0);
  CHECK(visible_gpus(Nvml("no such library"), std::nullopt).empty());
}
