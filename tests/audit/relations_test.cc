// Every relation by hand: the outermost printed value that follows, and one unit further.
#include <set>

#include <fmt/format.h>

#include "harness/audit/check/relation.h"
#include "tests/audit/stated_case.h"
#include "tests/support/catch.h"
#include "workloads/names/operations.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_stated;
using test::StatedCase;

// Ranges: corners of the bases' intervals, computed with Python 3.11. step_time 10.0ms stands for
// [9.95, 10.05] ms, 97 hours for [96.5, 97.5] h, and so on; counts and prices are exact.
const std::vector<StatedCase> kCases{
    // 4096 / step: 407562 .. 411658.3
    {"batch_global / step_time",
     "throughput",
     "batch_global: 4096, step_time: 10.0ms",
     "411658.3 img/s",
     "411658.4 img/s"},
    // 256 x 4 / step: 101891 .. 102914.6
    {"batch_per_device * devices / step_time",
     "throughput",
     "batch_per_device: 256, devices: 4, step_time: 10.0ms",
     "102914.6 img/s",
     "102914.7 img/s"},
    // 333 / step: 33134.3 .. 33467.3
    {"batch / step_time",
     "throughput",
     "batch: 333, step_time: 10.0ms",
     "33467.3 img/s",
     "33467.4 img/s"},
    // 333 x 3 / step: 99403 .. 100402.0
    {"batch * devices / step_time",
     "throughput",
     "batch: 333, devices: 3, step_time: 10.0ms",
     "100402.0 img/s",
     "100402.1 img/s"},
    // 8 x 512 / step: 407562 .. 411658.3
    {"batch_global * sequence_length / step_time",
     "throughput",
     "batch_global: 8, sequence_length: 512, step_time: 10.0ms",
     "411658.3 tok/s",
     "411658.4 tok/s"},
    // 2 x 4 x 512 / step: the same
    {"batch_per_device * devices * sequence_length / step_time",
     "throughput",
     "batch_per_device: 2, devices: 4, sequence_length: 512, step_time: 10.0ms",
     "411658.3 tok/s",
     "411658.4 tok/s"},
    // 4 x [812.45, 812.55]: 3249.8 .. 3250.2
    {"throughput_per_device * devices",
     "throughput",
     "throughput_per_device: 812.5 img/s, devices: 4",
     "3250.2 img/s",
     "3250.3 img/s"},
    // [3250.5, 3251.5] / 4: 812.625 .. 812.875
    {"throughput / devices",
     "throughput_per_device",
     "throughput: 3251 img/s, devices: 4",
     "812.88 img/s",
     "812.89 img/s"},
    // 256 / step: 25472.6 .. 25728.6
    {"batch_per_device / step_time",
     "throughput_per_device",
     "batch_per_device: 256, step_time: 10.0ms",
     "25728.6 img/s",
     "25728.7 img/s"},
    // 2 x 3 x 4 x 512 / step: 1222687 .. 1234974.9
    {"batch_per_device * gradient_accumulation * devices * sequence_length / step_time",
     "throughput",
     "batch_per_device: 2, gradient_accumulation: 3, devices: 4, sequence_length: 512, step_time: "
     "10.0ms",
     "1234974.9 tok/s",
     "1234975.0 tok/s"},
    // 7 x 512 / step: 356617 .. 360201.0
    {"batch * sequence_length / step_time",
     "throughput",
     "batch: 7, sequence_length: 512, step_time: 10.0ms",
     "360201.0 tok/s",
     "360201.1 tok/s"},
    // 7 x 3 x 512 / step: 1069851 .. 1080603.0
    {"batch * devices * sequence_length / step_time",
     "throughput",
     "batch: 7, devices: 3, sequence_length: 512, step_time: 10.0ms",
     "1080603.0 tok/s",
     "1080603.1 tok/s"},
    // 7 x 5 x 3 / step: 10447.8 .. 10552.8
    {"batch * gradient_accumulation * devices / step_time",
     "throughput",
     "batch: 7, gradient_accumulation: 5, devices: 3, step_time: 10.0ms",
     "10552.8 img/s",
     "10552.9 img/s"},
    // 7 x 5 x 3 x 512 / step: 5349254 .. 5403015.1
    {"batch * gradient_accumulation * devices * sequence_length / step_time",
     "throughput",
     "batch: 7, gradient_accumulation: 5, devices: 3, sequence_length: 512, step_time: 10.0ms",
     "5403015.1 tok/s",
     "5403015.2 tok/s"},
    // 7 x 5 / step: 3482.6 .. 3517.6
    {"batch * gradient_accumulation / step_time",
     "throughput_per_device",
     "batch: 7, gradient_accumulation: 5, step_time: 10.0ms",
     "3517.6 img/s",
     "3517.7 img/s"},
    // 7 x 5 x 512 / step: 1783085 .. 1801005.0
    {"batch * gradient_accumulation * sequence_length / step_time",
     "throughput_per_device",
     "batch: 7, gradient_accumulation: 5, sequence_length: 512, step_time: 10.0ms",
     "1801005.0 tok/s",
     "1801005.1 tok/s"},
    // 32 x 3 / step: 9552 .. 9648.2
    {"batch_per_device * gradient_accumulation / step_time",
     "throughput_per_device",
     "batch_per_device: 32, gradient_accumulation: 3, step_time: 10.0ms",
     "9648.2 img/s",
     "9648.3 img/s"},
    // 1000 / 4 / step: 24876 .. 25125.6
    {"batch_global / devices / step_time",
     "throughput_per_device",
     "batch_global: 1000, devices: 4, step_time: 10.0ms",
     "25125.6 img/s",
     "25125.7 img/s"},
    // 333 / step: 33134 .. 33467.3
    {"batch / step_time",
     "throughput_per_device",
     "batch: 333, step_time: 10.0ms",
     "33467.3 img/s",
     "33467.4 img/s"},
    // 999 / 3 / step: 33134 .. 33467.3
    {"batch / devices / step_time",
     "throughput_per_device",
     "batch: 999, devices: 3, step_time: 10.0ms",
     "33467.3 img/s",
     "33467.4 img/s"},
    // 8 x 2048 / step: 1630249 .. 1646633.2
    {"batch_per_device * sequence_length / step_time",
     "throughput_per_device",
     "batch_per_device: 8, sequence_length: 2048, step_time: 10.0ms",
     "1646633.2 tok/s",
     "1646633.3 tok/s"},
    // 2 x 3 x 512 / step: 305672 .. 308743.7
    {"batch_per_device * gradient_accumulation * sequence_length / step_time",
     "throughput_per_device",
     "batch_per_device: 2, gradient_accumulation: 3, sequence_length: 512, step_time: 10.0ms",
     "308743.7 tok/s",
     "308743.8 tok/s"},
    // 32 / 4 x 2048 / step: 1630249 .. 1646633.2
    {"batch_global / devices * sequence_length / step_time",
     "throughput_per_device",
     "batch_global: 32, devices: 4, sequence_length: 2048, step_time: 10.0ms",
     "1646633.2 tok/s",
     "1646633.3 tok/s"},
    // 7 x 512 / step: 356617 .. 360201.0
    {"batch * sequence_length / step_time",
     "throughput_per_device",
     "batch: 7, sequence_length: 512, step_time: 10.0ms",
     "360201.0 tok/s",
     "360201.1 tok/s"},
    // 12 / 4 x 512 / step: 152836 .. 154371.9
    {"batch / devices * sequence_length / step_time",
     "throughput_per_device",
     "batch: 12, devices: 4, sequence_length: 512, step_time: 10.0ms",
     "154371.9 tok/s",
     "154372.0 tok/s"},
    // [3250.5, 3251.5] / [1250, 1350] W: 2.40778 .. 2.60120
    {"throughput / power",
     "throughput_per_power",
     "throughput: 3251 img/s, power: 1.3 kW",
     "2.601 img/s/W",
     "2.602 img/s/W"},
    // [3250.5, 3251.5] / (4 x [312.5, 313.5]): 2.59211 .. 2.60120
    {"throughput / (devices * power_per_device)",
     "throughput_per_power",
     "throughput: 3251 img/s, devices: 4, power_per_device: 313 W",
     "2.601 img/s/W",
     "2.602 img/s/W"},
    // [812.5, 813.5] / [312.5, 313.5]: 2.59171 .. 2.60320
    {"throughput_per_device / power_per_device",
     "throughput_per_power",
     "throughput_per_device: 813 img/s, power_per_device: 313 W",
     "2.603 img/s/W",
     "2.604 img/s/W"},
    // 64 x 4 = 256 or more
    {"at least batch_per_device * devices",
     "batch_global",
     "batch_per_device: 64, devices: 4",
     "256",
     "255"},
    // [50000.5, 50001.5] / [202.455, 202.465]: 246.959 s or more
    {"at least samples_per_epoch / throughput",
     "epoch_time",
     "samples_per_epoch: \"50,001\", throughput: 202.46 img/s",
     "247.0 s",
     "246.9 s"},
    // 391 x step: 3.89045 s or more
    {"at least steps_per_epoch * step_time",
     "epoch_time",
     "steps_per_epoch: 391, step_time: 10.0ms",
     "3.89 s",
     "3.88 s"},
    // 10 x [218.525, 218.535] s: 36.4208 min or more
    {"at least epochs * epoch_time",
     "total_time",
     "epochs: 10, epoch_time: 218.53s",
     "36.42 min",
     "36.41 min"},
    // 3910 x step: 38.9045 s or more
    {"at least steps * step_time",
     "total_time",
     "steps: 3910, step_time: 10.0ms",
     "38.9 s",
     "38.8 s"},
    // [1.45e9, 1.55e9] / [145266.5, 145267.5]: 2.77266 h or more
    {"at least tokens / throughput",
     "total_time",
     "tokens: 1.5B, throughput: \"145,267 tok/s\"",
     "2.77 h",
     "2.76 h"},
    // P in [0.945, 0.955], N = 8: 5.77617 .. 6.08365
    {"1 / ((1 - parallel_fraction) + parallel_fraction / devices)",
     "amdahl_speedup",
     "parallel_fraction: 0.95, devices: 8",
     "6.08x",
     "6.09x"},
    // 8 x [96.5, 97.5] h: 772 .. 780
    {"devices * total_time",
     "device_time",
     "devices: 8, total_time: 97 hours",
     "780.0 GPU-hours",
     "780.1 GPU-hours"},
    // 8 x [96.5, 97.5] h x $3: 2316 .. 2340
    {"devices * total_time * price_per_device_hour",
     "cost",
     "devices: 8, total_time: 97 hours, price_per_device_hour: $3/h",
     "$2340.0",
     "$2340.1"},
    // 2 x [96.5, 97.5] h x $32.77: 6324.61 .. 6390.15
    {"nodes * total_time * price_per_node_hour",
     "cost",
     "nodes: 2, total_time: 97 hours, price_per_node_hour: $32.77/h",
     "$6390.2",
     "$6390.3"},
    // [775.5, 776.5] h x $3: 2326.5 .. 2329.5
    {"device_time * price_per_device_hour",
     "cost",
     "device_time: 776 GPU-hours, price_per_device_hour: $3/h",
     "$2329.5",
     "$2329.6"},
    // 32 x [320.5, 321.5] W: 10.256 kW or more
    {"at least devices * power_per_device",
     "power",
     "devices: 32, power_per_device: 321 W",
     "10.26 kW",
     "10.25 kW"},
    // [23.45e6, 23.55e6] x 4: 93.8 .. 94.2 MB
    {"parameters * bytes_per_parameter",
     "gradient_bytes",
     "parameters: 23.5M, bytes_per_parameter: 4",
     "94.2 MB",
     "94.3 MB"},
    // 2 x 3 / 4 x [94.15, 94.25] MB: 141.225 .. 141.375
    {"2 * (devices - 1) / devices * gradient_bytes",
     "traffic_bytes",
     "devices: 4, gradient_bytes: 94.2 MB",
     "141.4 MB",
     "141.5 MB"},
    // [31.15, 31.25] / 40: 77.875 .. 78.125 %
    {"memory / memory_capacity",
     "memory_share",
     "memory: 31.2 GB, memory_capacity: 40GB",
     "78.1%",
     "78.2%"},
    // [2.05 GB, 2.1 GiB] / [40.5, 41.5] ms: 49.3976 .. 55.6755 GB/s
    {"message_bytes / latency",
     "algbw",
     "message_bytes: 2.1GB, latency: 41ms",
     "55.68 GB/s",
     "55.69 GB/s"},
    // [12.335, 12.345] x 7 / 4: 21.5862 .. 21.6038
    {"algbw * 2 * (devices - 1) / devices",
     "busbw",
     "algbw: 12.34 GB/s, devices: 8, operation: all_reduce",
     "21.60 GB/s",
     "21.61 GB/s"},
    // [12.335, 12.345] x 7 / 8: 10.7931 .. 10.8019
    {"algbw * (devices - 1) / devices",
     "busbw",
     "algbw: 12.34 GB/s, devices: 8, operation: ReduceScatter",
     "10.80 GB/s",
     "10.81 GB/s"},
    // [12.335, 12.345]
    {"algbw", "busbw", "algbw: 12.34 GB/s, operation: broadcast", "12.34 GB/s", "12.36 GB/s"},
    // [1.245, 1.255] TFLOP / step: 123.881 .. 126.131
    {"flop_per_step / step_time",
     "flop_rate",
     "flop_per_step: 1.25 TFLOP, step_time: 10.0ms",
     "126.1 TFLOPS",
     "126.2 TFLOPS"},
    // 4 x [124.5, 125.5]: 498 .. 502
    {"flop_rate_per_device * devices",
     "flop_rate",
     "flop_rate_per_device: 125 TFLOPS, devices: 4",
     "502.0 TFLOPS",
     "502.1 TFLOPS"},
    // [1.245, 1.255] TFLOP / step / 4: 30.970 .. 31.533
    {"flop_per_step / step_time / devices",
     "flop_rate_per_device",
     "flop_per_step: 1.25 TFLOP, step_time: 10.0ms, devices: 4",
     "31.5 TFLOPS",
     "31.6 TFLOPS"},
    // [124.5, 125.5] / 4: 31.125 .. 31.375
    {"flop_rate / devices",
     "flop_rate_per_device",
     "flop_rate: 125 TFLOPS, devices: 4",
     "31.4 TFLOPS",
     "31.5 TFLOPS"},
    // [124.5, 125.5] / 312: 39.9038 .. 40.2244 %
    {"flop_rate / (devices * peak_flop_rate)",
     "mfu",
     "flop_rate: 125 TFLOPS, devices: 1, peak_flop_rate: 312 TFLOPS",
     "40.2%",
     "40.3%"},
    // [124.5, 125.5] / 312: 39.9038 .. 40.2244 %
    {"flop_rate_per_device / peak_flop_rate",
     "mfu",
     "flop_rate_per_device: 125 TFLOPS, peak_flop_rate: 312 TFLOPS",
     "40.2%",
     "40.3%"},
    // [1.245, 1.255] TFLOP / step / 312: 39.7053 .. 40.4265 %
    {"flop_per_step / (step_time * devices * peak_flop_rate)",
     "mfu",
     "flop_per_step: 1.25 TFLOP, step_time: 10.0ms, devices: 1, peak_flop_rate: 312 TFLOPS",
     "40.4%",
     "40.5%"},
    // [3.15, 3.25] / [9.95, 10.05]: 31.3433 .. 32.6633 %
    {"communication_time / step_time",
     "overhead",
     "communication_time: 3.2ms, step_time: 10.0ms",
     "32.7%",
     "32.8%"},
    // 1 - [3.15, 3.25] / [9.95, 10.05]: 67.3367 .. 68.6567 %
    {"1 - compute_time / step_time",
     "overhead",
     "compute_time: 3.2ms, step_time: 10.0ms",
     "68.7%",
     "68.8%"},
};

// The printed number times `factor`, printed with as many decimals.
std::string scaled(const std::string& printed, double factor) {
  const std::size_t start = printed.find_first_of("0123456789");
  const std::size_t end = std::min(printed.find_first_not_of("0123456789.", start), printed.size());
  const std::string number = printed.substr(start, end - start);
  const std::size_t point = number.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : number.size() - point - 1;
  return printed.substr(0, start) + fmt::format("{:.{}f}", std::stod(number) * factor, decimals) +
         printed.substr(end);
}

TEST_CASE("a figure follows to the edge of what its bases allow and no unit further", "[audit]") {
  for (const StatedCase& c : kCases) {
    CAPTURE(c.formula, c.follows, c.off);
    const Finding follows = audit_stated(c, c.follows);
    const Finding off = audit_stated(c, c.off);

    CHECK(verdict_name(follows.verdict) == "follows");
    CHECK(follows.formula == c.formula);
    CHECK(off.verdict != Verdict::kFollows);
    CHECK_FALSE(off.bases.empty());
    // A quarter more (of a least value: less) than follows: no cut of these digits gives that.
    const bool is_least = follows.formula.starts_with("at least ");
    CHECK(verdict_name(audit_stated(c, scaled(c.off, is_least ? 0.75 : 1.25)).verdict) ==
          "does not follow");
    CHECK(off.difference.value_or(0.0) != 0.0);
  }
}

TEST_CASE("accumulated batches make the global batch", "[audit]") {
  // 8 x 3 x 4 = 96 samples a step of [9.95, 10.05] ms: 9552.24 .. 9648.24 a second.
  const StatedCase throughput{
      "",
      "throughput",
      "batch_per_device: 8, gradient_accumulation: 3, devices: 4, step_time: "
      "10.0ms",
      "",
      ""};
  const StatedCase batch{
      "", "batch_global", "batch_per_device: 8, gradient_accumulation: 3, devices: 4", "", ""};

  CHECK(verdict_name(audit_stated(throughput, "9648.2 img/s").verdict) == "follows");
  CHECK(audit_stated(throughput, "9648.3 img/s").verdict != Verdict::kFollows);
  CHECK(verdict_name(audit_stated(throughput, "9949.3 img/s").verdict) == "does not follow");
  CHECK(verdict_name(audit_stated(batch, "96").verdict) == "follows");
  CHECK(verdict_name(audit_stated(batch, "97").verdict) == "does not follow");
}

TEST_CASE("every relation but those of scaling has a case here", "[audit]") {
  std::set<std::string> covered{"batch_per_device * gradient_accumulation * devices / step_time",
                                "batch_per_device * gradient_accumulation * devices",
                                "1 - efficiency",
                                "throughput / power / devices",
                                "communication_time / compute_time",
                                "step_time / compute_time - 1"};
  for (const StatedCase& c : kCases) {
    const std::string formula = c.formula;
    covered.insert(formula.starts_with("at least ") ? formula.substr(9) : formula);
  }
  for (const Relation& relation : relations()) {
    CAPTURE(relation.formula.text());
    CHECK((relation.target == "speedup" || relation.target == "efficiency" ||
           covered.contains(relation.formula.text())));
  }
}

}  // namespace
