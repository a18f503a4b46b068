#include "harness/submit/batch_script.h"

#include <cmath>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// Of a job: the time in which a trial is put back and a run ends, before its time is over.
constexpr int kNoticeSeconds = 60;

std::string time_text(double seconds) {
  const auto minutes = static_cast<std::int64_t>(std::ceil(seconds / 60.0));
  return fmt::format("{}:{:02}:00", minutes / 60, minutes % 60);
}

// As one word of a #SBATCH line: quoted where it is more than that to Slurm, whose quotes keep
// neither a line break nor a backslash of a file's name.
std::string sbatch_word(const std::string& text) {
  if (text.find('\\') != std::string::npos || text.find('\n') != std::string::npos ||
      printable(text) != text) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: a #SBATCH line cannot hold a backslash, a line break or another "
                            "control character; submit from another folder",
                            printable(text)));
  }
  if (text.find_first_of(" \t'\"#") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\\\"" : std::string(1, c);
  }
  return quoted + "\"";
}

// A folder in a file's name with places of Slurm's own: "%a".
std::string pattern_of(const fs::path& folder) {
  std::string pattern;
  for (const char c : folder.string()) {
    pattern += std::string(c == '%' ? 2 : 1, c);
  }
  return pattern;
}

std::vector<std::string> options_of(const Batch& batch) {
  const JobRequest& request = batch.request;
  const MachineProfile& machine = batch.machine;
  std::vector<std::string> options{"--job-name=" + batch.name,
                                   "--array=" + array_text(batch.jobs),
                                   fmt::format("--nodes={}", request.nodes),
                                   fmt::format("--ntasks-per-node={}", request.tasks_per_node)};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty() && value != "0") {
      options.push_back(sbatch_word(fmt::format("--{}={}", name, value)));
    }
  };
  add("cpus-per-task", std::to_string(request.cores_per_task));
  add("gpus-per-node", std::to_string(request.gpus_per_node));
  add("account", machine.account);
  add("partition", machine.partition);
  add("constraint", machine.constraint);
  options.push_back("--time=" + time_text(request.time_limit_s));
  options.insert(options.end(), machine.sbatch.begin(), machine.sbatch.end());
  options.insert(options.end(),
                 {"--requeue",
                  "--open-mode=append",
                  fmt::format("--signal=B:TERM@{}", kNoticeSeconds),
                  sbatch_word(fmt::format("--output={}/job%a/slurm.log", pattern_of(batch.folder))),
                  sbatch_word("--chdir=" + batch.working_folder.string())});
  return options;
}

constexpr const char* kBody = R"sh(
first=$(((SLURM_ARRAY_TASK_ID - 1) * {blocks_per_job} + 1))
last=$((first + {blocks_per_job} - 1))
[ "$last" -le {blocks} ] || last={blocks}
results={folder}/job$SLURM_ARRAY_TASK_ID
ended() {{
  {program} --results "$results" query --format csv \
    'SELECT count(*) AS n FROM trial WHERE wall_s IS NOT NULL' 2>/dev/null
}}
before=$(ended)
{program} --results "$results" run {study} --blocks "$first-$last"{machine} &
run=$!
trap 'kill -TERM "$run"' TERM
wait "$run"
code=$?
while kill -0 "$run" 2>/dev/null; do # a signal only ended the waiting
  wait "$run"
  code=$?
done
# Interrupted (130), or locked by this job's last start on a node that is gone (75).
[ "$code" = 130 ] || [ "$code" = 75 ] || exit "$code"
if [ "$(ended)" = "$before" ]; then
  echo "$code" >>"$results/fruitless"
else
  rm -f "$results/fruitless"
fi
[ ! -e "$results/fruitless" ] || [ "$(wc -l <"$results/fruitless")" -lt 3 ] || exit "$code"
# Not where somebody cancelled it.
[ "$(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%T)" = RUNNING ] || exit "$code"
scontrol requeue "$SLURM_JOB_ID"
)sh";

}  // namespace

fs::path job_folder(const fs::path& jobs, std::int64_t job) {
  return jobs / fmt::format("job{}", job);
}

std::string array_text(const std::vector<std::int64_t>& jobs) {
  std::vector<std::string> ranges;
  for (std::size_t begin = 0; begin < jobs.size();) {
    std::size_t end = begin + 1;
    while (end < jobs.size() && jobs[end] == jobs[end - 1] + 1) {
      ++end;
    }
    ranges.push_back(end - begin == 1 ? std::to_string(jobs[begin])
                                      : fmt::format("{}-{}", jobs[begin], jobs[end - 1]));
    begin = end;
  }
  return join(ranges, ",");
}

std::string batch_script(const Batch& batch) {
  std::string script = "#!/bin/sh\n";
  for (const std::string& option : options_of(batch)) {
    script += "#SBATCH " + option + "\n";
  }
  script += fmt::format("# Study {}, {} block(s) a job; made by scalestudy submit.\n",
                        batch.study,
                        batch.blocks_per_job);
  for (const std::string& line : batch.machine.setup) {
    script += line + "\n";
  }
  return script +
         fmt::format(
             kBody,
             fmt::arg("blocks_per_job", batch.blocks_per_job),
             fmt::arg("blocks", batch.blocks),
             fmt::arg("folder", shell_word(batch.folder.string())),
             fmt::arg("program", shell_word(batch.program.string())),
             fmt::arg("study", batch.study),
             fmt::arg("machine",
                      batch.machine.name.empty()
                          ? ""
                          : " --machine " + shell_word((batch.folder / "machine.yaml").string())));
}

}  // namespace scalestudy
