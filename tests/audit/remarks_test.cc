// What the audit takes a mistake for: where each remark is made, and where it is not.
#include <set>

#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_table;
using Remarks = std::set<std::string>;

const std::string kSpeedupScaling =
    "      - {column: devices, quantity: devices}\n"
    "      - {column: throughput, quantity: throughput, unit: img/s}\n"
    "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n";
const std::string kWithEfficiency =
    kSpeedupScaling +
    "      - {column: efficiency, quantity: efficiency, baseline: {devices: 1}}\n";

// The remarks of figures that do not follow, each once; "" where there is none.
Remarks remarks(const std::vector<Finding>& findings) {
  Remarks all;
  for (const Finding& finding : findings) {
    if (finding.verdict == Verdict::kDoesNotFollow) {
      all.insert(finding.remark);
    } else {
      CHECK(finding.remark.empty());
    }
  }
  return all;
}

TEST_CASE("an efficiency under the heading of a speedup is called one", "[audit]") {
  CHECK(
      remarks(audit_table(kSpeedupScaling,
                          "devices,throughput,speedup\n1,101,1.00\n2,199,0.985\n4,398,0.985\n")) ==
      Remarks{"this is the efficiency"});
  CHECK(remarks(audit_table(kSpeedupScaling,
                            "devices,throughput,speedup\n1,101,1.00\n2,199,0.700\n")) ==
        Remarks{""});
}

TEST_CASE("a throughput of one device under the heading of all is called so", "[audit]") {
  CHECK(remarks(audit_table("      - {column: devices, quantity: devices}\n"
                            "      - {column: batch, quantity: batch_per_device}\n"
                            "      - {column: step_time, quantity: step_time, unit: ms}\n"
                            "      - {column: throughput, quantity: throughput, unit: img/s}\n",
                            "devices,batch,step_time,throughput\n4,256,99.8,2565\n")) ==
        Remarks{"this is the rate of one device"});
}

TEST_CASE("a rate of all devices under the heading of one is called so", "[audit]") {
  // 8 x 2048 / 1.64 s = 9,990 tokens/s; four devices have 39,961.
  CHECK(remarks(
            audit_table("      - {column: devices, quantity: devices}\n"
                        "      - {column: batch, quantity: batch_per_device}\n"
                        "      - {column: step, quantity: step_time, unit: s}\n"
                        "      - {column: tps, quantity: throughput_per_device, unit: tokens/s}\n",
                        "devices,batch,step,tps\n1,8,1.600,\"10,240\"\n4,8,1.640,\"39,961\"\n",
                        "    fixed: {sequence_length: \"2048\"}\n")) ==
        Remarks{"this is the rate of all devices"});
}

TEST_CASE("powers of 1024 under the name of powers of 1000 are told", "[audit]") {
  const std::string columns =
      "      - {column: size, quantity: message_bytes, unit: B, exact: true}\n"
      "      - {column: time, quantity: latency, unit: ms}\n"
      "      - {column: bw, quantity: algbw}\n";

  // 104,857,600 B in 10 ms are 10,486 MB/s, and 10,000 MiB/s.
  CHECK(remarks(audit_table(columns,
                            "size,time,bw\n104857600,10.000,10000.0 MB/s\n"
                            "209715200,20.000,10000.0 MB/s\n")) ==
        Remarks{"as if MB/s were MiB/s: column bw then follows"});
  // 10,737 MB in 1 s are 10 GiB, not 10.737.
  CHECK(remarks(audit_table(columns,
                            "size,time,bw\n10737000000,1000.0,10.737 GiB/s\n"
                            "21474000000,1000.0,21.474 GiB/s\n")) ==
        Remarks{"as if GiB/s were GB/s: column bw then follows"});
  // Of one figure it may be chance, and of 9,000 no prefix is the reason.
  CHECK(remarks(audit_table(columns, "size,time,bw\n104857600,10.000,10000.0 MB/s\n")) ==
        Remarks{""});
  CHECK(remarks(audit_table(columns,
                            "size,time,bw\n104857600,10.000,9000.0 MB/s\n"
                            "209715200,20.000,9000.0 MB/s\n")) == Remarks{""});
}

TEST_CASE("two columns that follow exchanged are called swapped", "[audit]") {
  const std::string head = "devices,throughput,speedup,efficiency\n";

  CHECK(remarks(audit_table(kWithEfficiency,
                            head + "1,101,100%,1.00\n2,199,98.5%,1.97\n4,398,98.5%,3.94\n")) ==
        Remarks{"columns speedup and efficiency are swapped: exchanged, their figures follow"});
  // One wrong figure in each column: nothing follows exchanged.
  CHECK(remarks(audit_table(kWithEfficiency,
                            head + "1,101,1.00x,100%\n2,199,1.57x,98.5%\n4,398,3.94x,70.1%\n")) ==
        Remarks{""});
}

TEST_CASE("a base from whose correction all follow is called mistyped", "[audit]") {
  const std::string head = "devices,throughput,speedup\n";

  // 91.61 / 46.50 = 1.970, 182.74 / 46.50 = 3.930, 356.2 / 46.50 = 7.660
  CHECK(remarks(audit_table(
            kSpeedupScaling,
            head + "1,64.50,1.000x\n2,91.61,1.970x\n4,182.74,3.930x\n8,356.2,7.660x\n")) ==
        Remarks{"the base is mistyped: all others follow from 46.50 img/s"});
  // 8.660x follows from no base of the others.
  CHECK(remarks(audit_table(
            kSpeedupScaling,
            head + "1,64.50,1.000x\n2,91.61,1.970x\n4,182.74,3.930x\n8,356.2,8.660x\n")) ==
        Remarks{""});
  // One figure alone follows from some base: that says nothing.
  CHECK(remarks(audit_table(kSpeedupScaling, head + "1,64.50,1.000x\n2,91.61,1.970x\n")) ==
        Remarks{""});
}

TEST_CASE("a base that other figures confirm is not called mistyped", "[audit]") {
  // 64.50 is 6450 / 100 s: the speedups are what is wrong.
  CHECK(remarks(audit_table(
            "      - {column: devices, quantity: devices}\n"
            "      - {column: batch, quantity: batch_global}\n"
            "      - {column: step_time, quantity: step_time, unit: s}\n"
            "      - {column: throughput, quantity: throughput, unit: img/s}\n"
            "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
            "devices,batch,step_time,throughput,speedup\n"
            "1,6450,100.0,64.50,1.000x\n2,6450,-,91.61,1.970x\n4,6450,-,182.74,3.930x\n")) ==
        Remarks{""});
}

TEST_CASE("a base whose correction makes another figure implausible is not called mistyped",
          "[audit]") {
  // 7.660 x 6.070 ms = 46.496 ms, shorter than a communication of 50.0 ms.
  const auto remarks_beside = [](const std::string& communication) {
    return remarks(
        audit_table("      - {column: devices, quantity: devices}\n"
                    "      - {column: step, quantity: step_time, unit: ms}\n"
                    "      - {column: comm, quantity: communication_time, unit: ms}\n"
                    "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
                    "devices,step,comm,speedup\n1,64.50," + communication +
                        ",1.000x\n2,23.60,2.0,1.970x\n4,11.83,2.0,3.930x\n8,6.070,2.0,7.660x\n",
                    "    fixed: {scaling: strong}\n"));
  };

  CHECK(remarks_beside("40.0") ==
        Remarks{"the base is mistyped: all others follow from 46.495 ms"});
  CHECK(remarks_beside("50.0") == Remarks{""});
}

}  // namespace
