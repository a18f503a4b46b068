#include "harness/submit/queue.h"

#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/tool.h"
#include "harness/text/quantity.h"

namespace scalestudy {

std::map<std::int64_t, QueuedJob> read_queue(const std::string& text) {
  std::map<std::int64_t, QueuedJob> jobs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string index;
    QueuedJob job;
    if (std::getline(fields, index, '|') && std::getline(fields, job.state, '|') &&
        std::getline(fields, job.nodes, '|') && std::getline(fields, job.reason)) {
      if (const auto number = parse_integer(index)) {
        jobs[*number] = job;
      }
    }
  }
  return jobs;
}

std::optional<std::map<std::int64_t, QueuedJob>> queued_jobs(const std::string& name) {
  if (!find_program("squeue")) {
    return std::nullopt;
  }
  const ToolResult queue =
      run_tool({"squeue", "--noheader", "--array", "--name=" + name, "--format=%K|%T|%N|%r"});
  return queue.is_ok() ? std::optional(read_queue(queue.output)) : std::nullopt;
}

bool has_follow_up(const std::string& indexes) {
  std::istringstream lines(indexes);
  for (std::string line; std::getline(lines, line);) {
    if (line == "N/A") {
      return true;
    }
  }
  return false;
}

bool is_followed_up(const std::string& name) {
  if (!find_program("squeue")) {
    return false;
  }
  const ToolResult queue =
      run_tool({"squeue", "--noheader", "--name=" + name, "--states=PENDING", "--format=%K"});
  return queue.is_ok() && has_follow_up(queue.output);
}

std::string submit_script(const std::filesystem::path& script) {
  if (!find_program("sbatch")) {
    throw Error(ErrorKind::kMachine,
                "sbatch is not found in PATH: jobs are submitted where Slurm is (Debian: apt-get "
                "install slurm-client). `scalestudy run --blocks` runs a part of a plan by hand");
  }
  const ToolResult sbatch = run_tool({"sbatch", "--parsable", script.string()});
  if (!sbatch.is_ok()) {
    throw Error(ErrorKind::kMachine,
                fmt::format("sbatch failed with {}: {}", script.string(), sbatch.errors));
  }
  return sbatch.output.substr(0, sbatch.output.find_first_of(";\n"));
}

}  // namespace scalestudy
