// Tables whose authors computed and rounded right: none of their figures is called wrong.
#include <string>
#include <vector>

#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

const std::string kHonestDevices = "      - {column: devices, quantity: devices}\n";
const std::string kHonestSteps = "      - {column: step, quantity: step_time, unit: s}\n";

std::string honest_column(const std::string& name, const std::string& declared) {
  return "      - {column: " + name + ", quantity: " + declared + "}\n";
}

std::string honest_verdicts(const std::string& columns,
                            const std::string& csv,
                            const std::string& extra = "") {
  return test::verdicts(test::audit_table(columns, csv, extra));
}

bool is_accused(const std::string& verdicts) {
  return verdicts.find("does not follow") != std::string::npos ||
         verdicts.find("implausible") != std::string::npos;
}

TEST_CASE("the kind of scaling is known in any case of its letters", "[audit]") {
  const std::string columns = honest_column("scaling", "label") + kHonestDevices + kHonestSteps +
                              honest_column("efficiency", "efficiency, baseline: {devices: 1}");
  const std::string strong = "scaling,devices,step,efficiency\nStrong,1,400.1,100.0%\n";

  CHECK_FALSE(is_accused(honest_verdicts(columns, strong + "Strong,2,206.9,96.7%\n")));
  CHECK_THAT(honest_verdicts(columns, strong + "Strong,2,206.9,193.4%\n"),
             Catch::Contains("193.4%: does not follow"));
  const std::string other = "scaling,devices,step,efficiency\nMixed,1,400.1,100.0%\n";
  CHECK_FALSE(is_accused(honest_verdicts(columns, other + "Mixed,2,206.9,96.7%\n")));
}

TEST_CASE("whole times of weak scaling are compared as its steps are", "[audit]") {
  for (const std::string& name : std::vector<std::string>{"total_time", "epoch_time"}) {
    CAPTURE(name);
    const std::string columns = kHonestDevices + honest_column("time", name + ", unit: s") +
                                honest_column("speedup", "speedup, baseline: {devices: 1}") +
                                honest_column("efficiency", "efficiency, baseline: {devices: 1}");
    const auto audited = [&](const std::string& last) {
      return honest_verdicts(columns,
                             "devices,time,speedup,efficiency\n1,120.4,1.00x,100.0%\n2," + last,
                             "    fixed: {scaling: weak}\n");
    };

    CHECK_FALSE(is_accused(audited("124.2,1.94x,96.9%\n")));
    CHECK_FALSE(is_accused(audited("63.3,1.90x,95.1%\n")));  // the same data at any scale
    CHECK_THAT(audited("124.2,1.74x,87.0%\n"), Catch::Contains("1.74x: does not follow"));
  }
}

TEST_CASE("rates of samples and of tokens follow from rates of their kind", "[audit]") {
  const std::string columns = kHonestDevices +
                              honest_column("samples", "throughput, unit: samples/s") +
                              honest_column("each", "throughput_per_device, unit: Tokens/s");

  CHECK_FALSE(is_accused(honest_verdicts(columns, "devices,samples,each\n2,80.1,\"82,033\"\n")));
  CHECK_THAT(honest_verdicts(kHonestDevices + honest_column("all", "throughput, unit: tokens/s") +
                                 honest_column("each", "throughput_per_device, unit: tokens/s"),
                             "devices,all,each\n2,\"80,111\",\"82,033\"\n"),
             Catch::Contains("does not follow"));
}

TEST_CASE("an efficiency does not follow from a speedup over another run", "[audit]") {
  const auto audited = [&](const std::string& base) {
    return honest_verdicts(
        kHonestDevices + honest_column("speedup", "speedup, baseline: {devices: " + base + "}") +
            honest_column("efficiency", "efficiency, baseline: {devices: 1}"),
        "devices,speedup,efficiency\n1,,100.0%\n8,1.00,95.0%\n16,1.94,92.2%\n");
  };

  CHECK_FALSE(is_accused(audited("8")));
  CHECK_THAT(audited("1"), Catch::Contains("92.2%: does not follow"));
}

TEST_CASE("counts in thousands are rounded, or powers of 1024", "[audit]") {
  const std::string columns = honest_column("steps", "steps") + kHonestSteps +
                              honest_column("total", "total_time, unit: h");

  // 142,600 x 0.3319 s are 13.147 h, 143,000 are 13.184 h.
  CHECK_FALSE(is_accused(honest_verdicts(columns, "steps,step,total\n143K,0.3319,13.15\n")));
  CHECK(is_accused(honest_verdicts(columns, "steps,step,total\n\"143,000\",0.3319,13.15\n")));
  // 8 x 8 x 32,768 / 3.02 s
  const std::string tokens = honest_column("length", "sequence_length") +
                             honest_column("batch", "batch_per_device") + kHonestDevices +
                             kHonestSteps + honest_column("rate", "throughput, unit: tokens/s");
  const std::string head = "length,batch,devices,step,rate\n";
  CHECK_FALSE(is_accused(honest_verdicts(tokens, head + "32K,8,8,3.02,\"694,421\"\n")));
  CHECK(is_accused(honest_verdicts(tokens, head + "\"32,000\",8,8,3.02,\"694,421\"\n")));
}

TEST_CASE("a batch in tokens is not multiplied by the sequence length", "[audit]") {
  const auto audited = [&](const std::string& name, const char* unit, const std::string& rate) {
    return honest_verdicts(honest_column(name, std::string("batch_global") + unit) +
                               honest_column("length", "sequence_length") + kHonestSteps +
                               honest_column("rate", "throughput, unit: tokens/s"),
                           name + ",length,step,rate\n\"524,288\",2048,4.31,\"" + rate + "\"\n");
  };

  CHECK_FALSE(is_accused(audited("batch", ", unit: tokens", "121,645")));
  CHECK(is_accused(audited("batch", ", unit: tokens", "131,645")));
  CHECK_FALSE(is_accused(audited("batch_tokens", "", "121,645")));
  CHECK(is_accused(audited("batch_tokens", "", "131,645")));
}

TEST_CASE("batches of a device that shrink as devices grow keep that of all", "[audit]") {
  const auto audited = [&](const std::string& batch) {
    return honest_verdicts(
        kHonestDevices + honest_column("batch", "batch_per_device") +
            honest_column("rate", "throughput, unit: img/s") +
            honest_column("speedup", "speedup, baseline: {devices: 1}"),
        "devices,batch,rate,speedup\n1,256,1144,1.00\n2," + batch + ",2213,1.93\n");
  };

  CHECK_FALSE(is_accused(audited("128")));
  CHECK_THAT(audited("64"), Catch::Contains("implausible"));
}

TEST_CASE("sizes of messages and of memory may be powers of 1024 by another name", "[audit]") {
  const std::string columns = honest_column("size", "message_bytes") +
                              honest_column("time", "latency, unit: us") +
                              honest_column("algbw", "algbw, unit: GB/s");
  // 128 MiB / 1,190 us
  CHECK_FALSE(is_accused(honest_verdicts(columns, "size,time,algbw\n128 MB,1191,112.7\n")));
  CHECK(is_accused(honest_verdicts(columns, "size,time,algbw\n128 MB,1191,113.7\n")));

  const std::string memory =
      honest_column("used", "memory") + honest_column("capacity", "memory_capacity");
  CHECK_FALSE(is_accused(honest_verdicts(memory, "used,capacity\n\"79,431 MiB\",80 GB\n")));
  CHECK(is_accused(honest_verdicts(memory, "used,capacity\n\"82,431 MiB\",80 GB\n")));
}

}  // namespace
