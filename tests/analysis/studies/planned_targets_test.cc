// Targets that cannot be met, whatever the trials of a planned study measure.
#include "harness/analysis/studies/planned_targets.h"

#include <string>
#include <vector>

#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// - more: keys of the target; batch: the parameters of all cells.
std::vector<std::string> told(const std::string& baseline,
                              const std::string& more = "",
                              const std::string& batch = "parameters: {batch_global: 64}\n",
                              const std::string& metric = "efficiency") {
  const Study study = test::study_of(
      "version: 1\nstudy: s\nworkload: command\ncommand: [a, '{devices}', '{mode}']\n" + batch +
      "axes: {devices: [2, 4], mode: [old, new]}\nanalysis: {baseline: {" + baseline +
      "}, targets: [{name: t, metric: " + metric + ", at_least: 0.8" + more + "}]}\n");
  return targets_without_efficiency(study, expand(study));
}

const std::string kAdvice =
    ". Let where select only cells that differ from their baseline in the number of devices alone";

}  // namespace

TEST_CASE("a target on the efficiency of cells that cannot have one is told of", "[analysis]") {
  CHECK(told("devices: 2, mode: old") ==
        std::vector<std::string>{
            "target \"t\" cannot be met by 2 of 3 cells, such as 2 devices, mode new: no "
            "efficiency, because the base has as many devices" +
            kAdvice});
  CHECK(told("devices: 2, mode: old", ", where: {devices: 4, mode: new}") ==
        std::vector<std::string>{
            "target \"t\" cannot be met by 1 of 1 cell, such as 4 devices, mode new: no "
            "efficiency, because the base differs in mode as well" +
            kAdvice});
  CHECK(told("devices: 2", ", where: {devices: 2}") ==
        std::vector<std::string>{"target \"t\" cannot be met: it means no cell but baselines, "
                                 "which have no efficiency" +
                                 kAdvice});
  CHECK(told("devices: 2", "", "") ==
        std::vector<std::string>{"target \"t\" cannot be met by 2 of 2 cells, such as 4 devices, "
                                 "mode old: no efficiency, because the study has no batch. Add "
                                 "parameters: {batch_per_device: N} or {batch_global: N}"});
}

// All bases have as many devices or another mode, so that no where and no batch helps.
TEST_CASE("where no cell can have an efficiency, another baseline is advised", "[analysis]") {
  const std::string advice =
      ". No cell of this study can have one: let cells differ from their baseline in the number of "
      "devices alone";
  const std::string why =
      " cannot be met by 2 of 2 cells, such as 2 devices, mode new: no efficiency, because the "
      "base has as many devices" +
      advice;
  CHECK(told("mode: old") == std::vector<std::string>{"target \"t\"" + why});
  CHECK(told("mode: old", "", "") == std::vector<std::string>{"target \"t\"" + why});
  CHECK(told("devices: 2, mode: old",
             ", where: {devices: 4}",
             "parameters: {batch_global: 64}\nexclude: [{devices: 4, mode: old}]\n") ==
        std::vector<std::string>{"target \"t\" cannot be met by 1 of 1 cell, such as 4 devices, "
                                 "mode new: no efficiency, because the base differs in mode as "
                                 "well" +
                                 advice});

  const Study study = test::study_of(
      "version: 1\nstudy: s\nworkload: command\ncommand: [a, '{devices}', '{mode}']\n"
      "parameters: {batch_global: 64}\naxes: {devices: [2, 4], mode: [old, new]}\n"
      "analysis: {baseline: {mode: old}, within: {efficiency: 80%}}\n");
  CHECK(targets_without_efficiency(study, expand(study)) ==
        std::vector<std::string>{"limit on efficiency" + why});
}

TEST_CASE("a limit on the efficiency that some cell cannot have is told of", "[analysis]") {
  const auto told_of_limit = [](const std::string& baseline, const std::string& batch) {
    const Study study = test::study_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a, '{devices}', '{mode}']\n" + batch +
        "axes: {devices: [2, 4], mode: [old, new]}\nanalysis: {baseline: {" + baseline +
        "}, within: {efficiency: 80%}}\n");
    return targets_without_efficiency(study, expand(study));
  };
  const std::string batch = "parameters: {batch_global: 64}\n";
  CHECK(told_of_limit("devices: 2, mode: old", batch) ==
        std::vector<std::string>{
            "limit on efficiency cannot be met by 2 of 3 cells, such as 2 devices, mode new: no "
            "efficiency, because the base has as many devices. Use a target instead, and let its "
            "where select only cells that differ from their baseline in the number of devices "
            "alone"});
  CHECK(told_of_limit("devices: 2", "") ==
        std::vector<std::string>{"limit on efficiency cannot be met by 2 of 2 cells, such as 4 "
                                 "devices, mode old: no efficiency, because the study has no "
                                 "batch. Add parameters: {batch_per_device: N} or {batch_global: "
                                 "N}"});
  CHECK(told_of_limit("devices: 2", batch).empty());
}

TEST_CASE("a target on the efficiency of cells that can have one is not told of", "[analysis]") {
  CHECK(told("devices: 2").empty());
  CHECK(told("devices: 2, mode: old", ", where: {devices: 4, mode: old}").empty());
  CHECK(told("mode: old", "", "parameters: {batch_global: 64}\n", "speedup").empty());
}
