// machines.yaml, and what runs on nodes get of it.
#include "harness/study/parameters/machine_profile.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  const ParsedMachines parsed = parse_machines(input);
  if (!parsed.problems.empty()) {
    return;
  }
  for (const MachineProfile& machine : parsed.machines) {
    const std::string text = format_machine(machine);
    const ParsedMachines again = parse_machines(text);
    require(again.problems.empty() && again.machines.size() == 1 &&
                format_machine(again.machines[0]) == text,
            "a profile reads back");
  }
}
