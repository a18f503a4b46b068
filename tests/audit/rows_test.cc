// Rows of one table that declare the same run.
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_table;
using test::verdicts;

const std::string kDevices = "      - {column: devices, quantity: devices}\n";
const std::string kStep = "      - {column: step, quantity: step_time, unit: ms}\n";

TEST_CASE("rows with the same conditions and different figures are implausible", "[audit]") {
  const auto findings =
      audit_table(kDevices + kStep, "devices,step\n2,12.1\n4,8.0\n2,15.3\n2,12.1\n");

  CHECK(verdicts(findings) == "step, devices=2, row 3 15.3: implausible\n");
  CHECK(findings.at(0).why ==
        "rows 1 and 3 have the same conditions and different step (12.1 and 15.3): the document "
        "has to say what differs");
  CHECK(findings.at(0).bases.at(0).printed == "12.1");
}

TEST_CASE("rows that one run can print, or that something tells apart, pass", "[audit]") {
  const auto passes = [](const std::string& columns, const std::string& csv) {
    const auto findings = audit_table(columns, csv);
    CAPTURE(csv, verdicts(findings));
    return findings.empty();
  };

  CHECK(passes(kDevices + kStep, "devices,step\n2,12\n2,12.1\n"));  // 12 is [11.5, 12.5]
  CHECK(passes(kDevices + kStep, "devices,step\n2,12.1\n2,-\n"));
  CHECK(passes(kStep, "step\n12.1\n15.3\n"));  // nothing says which run
  // A learning rate and parameters are no conditions, and tell runs apart.
  CHECK(passes(kDevices + "      - {column: rate, quantity: other}\n" + kStep,
               "devices,rate,step\n2,0.1,12.1\n2,0.2,15.3\n"));
  CHECK(passes(kDevices + "      - {column: size, quantity: parameters}\n" + kStep,
               "devices,size,step\n2,1.1M,12.1\n2,2.2M,15.3\n"));
  // A cell that is meant for several rows leaves those below it blank.
  CHECK(passes("      - {column: model, quantity: model}\n" + kDevices + kStep,
               "model,devices,step\nmlp,1,20.1\n,2,12.1\ngpt,1,40.1\n,2,30.5\n"));
}

}  // namespace
