// `doctor`: what this machine has and lacks for running studies.
#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/build_info.h"
#include "harness/base/paths.h"
#include "harness/cli/plan/features.h"
#include "harness/cli/table.h"
#include "harness/cli/verb.h"
#include "harness/host/system_machine.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// The nearest existing folder decides whether results can be written.
bool is_writable(fs::path folder) {
  std::error_code ignored;
  folder = fs::absolute(folder, ignored);
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return access(folder.c_str(), W_OK) == 0;
}

std::optional<fs::path> find_workload(const std::string& workload) {
  try {
    return workload_program(workload);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Rows of the answer, and whether something needed is missing.
class Examination {
 public:
  void has(const std::string& what, const std::string& found) {
    rows_.rows.push_back({std::string("ok"), what, found});
  }
  void lacks(const std::string& what, const std::string& advice) {
    rows_.rows.push_back({std::string("missing"), what, advice});
    complete_ = false;
  }
  void note(const std::string& what, const std::string& text) {
    rows_.rows.push_back({std::string("-"), what, text});
  }
  void program(const std::string& name, const std::string& advice) {
    const std::optional<fs::path> path = find_program(name);
    path ? has(name, path->string()) : lacks(name, advice);
  }

  const QueryResult& rows() const { return rows_; }
  bool is_complete() const { return complete_; }

 private:
  QueryResult rows_{.columns = {"state", "what", "found"}, .rows = {}};
  bool complete_ = true;
};

void examine_product(Examination& examination, const std::string& results) {
  const BuildInfo info = build_info();
  examination.has(
      "scalestudy",
      fmt::format(
          "{} ({}, {}, preset {})", info.version, info.revision, info.compiler, info.preset));
  for (const std::string& file : {std::string("data/study.schema.json"),
                                  std::string("data/dataset.schema.json"),
                                  std::string("data/environment.yaml"),
                                  std::string("templates/scaling.md")}) {
    try {
      examination.has(file, shared_file(file).string());
    } catch (const Error&) {
      examination.lacks(file, "set SCALESTUDY_SHARE to the folder that holds it");
    }
  }
  const std::vector<std::string> workloads = protocol::builtin_workloads();
  const bool has_none = std::ranges::none_of(
      workloads, [](const std::string& workload) { return find_workload(workload).has_value(); });
  for (const std::string& workload : workloads) {
    const std::string what = "workload " + workload;
    const std::string advice =
        "scalestudy-" + workload + " is not here: install the Debian package, or ./dev build";
    if (const std::optional<fs::path> program = find_workload(workload)) {
      examination.has(what, program->string());
    } else if (!info.has_workloads) {
      examination.note(what, "this build has none: studies of `command` do not need it");
    } else if (has_none) {
      examination.lacks(
          what, advice + ", with MPI and oneDNN: apt-get install libopenmpi-dev libdnnl-dev");
    } else {
      examination.note(what, advice);  // ./dev demo builds what it runs
    }
  }
  is_writable(results)
      ? examination.has("results folder", fs::absolute(results).string())
      : examination.lacks("results folder", results + " cannot be written; --results DIR");
}

// What can be done here, and how to get the rest: on Debian, with modules, in a container.
std::string feature_text(const std::vector<Feature>& features) {
  QueryResult table{.columns = {"feature", "here", "by, or what is missing"}, .rows = {}};
  std::string advice;
  for (const Feature& feature : features) {
    table.rows.push_back(
        {feature.name, std::string(feature.is_there ? "yes" : "no"), feature.found});
    if (!feature.is_there) {
      advice += fmt::format("{}\n  Debian: {}\n  modules: {}\n  container: {}\n",
                            feature.name,
                            feature.debian,
                            feature.modules,
                            feature.container);
    }
  }
  return "\n" + format_table(table, Format::kTable, Terminal::columns()) +
         (advice.empty() ? "" : "\nHow to get what is missing, where it is wanted:\n" + advice);
}

ExitCode examine_machine(const std::string& results, Terminal& terminal) {
  Examination examination;
  examine_product(examination, results);
  if (build_info().has_workloads) {
    examination.program("mpirun", "apt-get install openmpi-bin");
  }
  examination.program("gnuplot", "apt-get install gnuplot-nox");
  SystemMachine machine;
  examination.note("GPUs", std::to_string(machine.gpus()));
  for (const auto& [name, value] : machine.environment()) {
    examination.note(name, value);
  }
  terminal.out(format_table(examination.rows(), Format::kTable, Terminal::columns()) +
               feature_text(examine_features()));
  if (!examination.is_complete()) {
    terminal.note("something is missing: see the rows above");
    return exit_code(ErrorKind::kMachine);
  }
  return ExitCode::kDone;
}

}  // namespace

Verb doctor_verb() {
  return {"doctor",
          VerbGroup::kLook,
          "Check what this machine has; exit 2 if something is missing",
          {},
          "Example:\n  scalestudy doctor",
          examine_machine};
}

}  // namespace scalestudy
