// `run --check`: tries whether a study's trials work before a night is spent on them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/base/error.h"
#include "harness/cli/terminal.h"
#include "harness/run/run_study.h"

namespace scalestudy {

// The folder with the stores of checks, in one folder for each study.
inline std::filesystem::path check_folder(const std::filesystem::path& results) {
  return results / "check";
}

// Runs one trial of each cell, without retries; of more than 20 cells only as many as it takes to
// cover each value of each varied parameter and each control. Prints the outcome of every trial and
// how long the whole study will take. The trials go into a store of their own,
// results/check/<study>, which each check begins anew and nothing else reads.
// - is_traced: each rank of train writes its trace beside the trial's output.
// - run: calls run_study() in the world of `run`.
ExitCode check_study(const Study& study,
                     const std::string& results,
                     bool is_traced,
                     const std::function<RunSummary(const Study&, Store&, const RunOptions&)>& run,
                     Terminal& terminal);

}  // namespace scalestudy
