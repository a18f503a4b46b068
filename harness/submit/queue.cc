#include "harness/submit/queue.h"

#include <array>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/run/by_hand.h"
#include "harness/study/quantity.h"

namespace scalestudy {
namespace {

// What it printed; absent when it ended otherwise than well.
std::optional<std::string> output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): words of ours, quoted
  if (pipe == nullptr) {
    return std::nullopt;
  }
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), got);
  }
  return pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

}  // namespace

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
  const std::optional<std::string> text =
      output_of("squeue --noheader --array --name=" + shell_word(name) +
                " --format='%K|%T|%N|%r' 2>/dev/null");
  return text ? std::optional(read_queue(*text)) : std::nullopt;
}

std::string submit_script(const std::filesystem::path& script) {
  if (!find_program("sbatch")) {
    throw Error(ErrorKind::kMachine,
                "sbatch is not found in PATH: jobs are submitted where Slurm is (Debian: apt-get "
                "install slurm-client). `scalestudy run --blocks` runs a part of a plan by hand");
  }
  const std::optional<std::string> id =
      output_of("sbatch --parsable " + shell_word(script.string()));
  if (!id) {
    throw Error(ErrorKind::kMachine,
                fmt::format("sbatch refused {}; what it said is above", script.string()));
  }
  return id->substr(0, id->find_first_of(";\n"));
}

}  // namespace scalestudy
