#include "harness/submit/batch_script.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/text/number.h"
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

using Options = std::vector<std::string>;

void add_option(const char* name, const std::string& value, Options& options) {
  if (!value.empty() && value != "0") {
    options.push_back(sbatch_word(fmt::format("--{}={}", name, value)));
  }
}

// What every job of the study has alike.
// - output: below the folder of all jobs.
void add_shared_options(const Batch& batch,
                        double time_limit_s,
                        const std::string& output,
                        Options& options) {
  const MachineProfile& machine = batch.machine;
  add_option("account", machine.account, options);
  add_option("partition", machine.partition, options);
  add_option("constraint", machine.constraint, options);
  options.push_back("--time=" + time_text(time_limit_s));
  options.insert(options.end(), machine.sbatch.begin(), machine.sbatch.end());
  options.insert(options.end(),
                 {"--requeue",
                  "--open-mode=append",
                  sbatch_word(fmt::format("--output={}/{}", pattern_of(batch.folder), output)),
                  sbatch_word("--chdir=" + batch.working_folder.string())});
}

Options options_of(const Batch& batch) {
  const JobRequest& request = batch.request;
  Options options{"--job-name=" + batch.name,
                  "--array=" + format_ranges(batch.jobs),
                  fmt::format("--nodes={}", request.nodes),
                  fmt::format("--ntasks-per-node={}", request.tasks_per_node)};
  add_option("cpus-per-task", std::to_string(request.cores_per_task), options);
  add_option("gpus-per-node", std::to_string(request.gpus_per_node), options);
  add_shared_options(batch, request.time_limit_s, "job%a/slurm.log", options);
  options.push_back(fmt::format("--signal=B:TERM@{}", kNoticeSeconds));
  return options;
}

// Of gathering and submitting.
double follow_up_limit_s(const Batch& batch) {
  constexpr double most_s = 1800.0;
  return std::min(most_s, batch.machine.time_limit_s.value_or(most_s));
}

// With the study's name it is the last of its jobs to begin (singleton).
Options follow_up_options(const Batch& batch) {
  Options options{"--job-name=" + batch.name, "--dependency=singleton", "--nodes=1", "--ntasks=1"};
  add_shared_options(batch, follow_up_limit_s(batch), "resubmit.log", options);
  return options;
}

std::string script_head(const Batch& batch, const Options& options) {
  std::string script = "#!/bin/sh\n";
  for (const std::string& option : options) {
    script += "#SBATCH " + option + "\n";
  }
  script += fmt::format("# Study {}, {} block(s) a job; made by scalestudy submit.\n",
                        batch.study,
                        batch.blocks_per_job);
  for (const std::string& line : batch.machine.setup) {
    script += line + "\n";
  }
  return script;
}

std::string machine_words(const Batch& batch) {
  return batch.machine.name.empty()
             ? ""
             : " --machine " + shell_word((batch.folder / "machine.yaml").string());
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

// Slurm lets it begin while jobs that were cancelled still end (COMPLETING, for KillWait or more),
// which squeue lists as if they ran. It waits five minutes at most, as a node may never get rid of
// one, and half of its own time limit.
constexpr const char* kFollowUp = R"sh(
tries={tries}
while [ "$tries" -gt 0 ] && squeue --noheader --name={name} --states=COMPLETING 2>/dev/null | grep -q .; do
  sleep 5
  tries=$((tries - 1))
done
while :; do
  {program} --results {results} submit {study} --gather
  gathered=$?
  [ "$gathered" = 75 ] || break # another process holds the results folder
  sleep 10
done
while :; do
  {variable}={ended} {program} --results {results} submit {study}{machine} --resubmit={more}
  code=$?
  [ "$code" = 75 ] || break
  sleep 10
done
[ "$code" != 0 ] || code=$gathered
exit "$code"
)sh";

}  // namespace

fs::path job_folder(const fs::path& jobs, std::int64_t job) {
  return jobs / fmt::format("job{}", job);
}

std::string batch_script(const Batch& batch) {
  return script_head(batch, options_of(batch)) +
         fmt::format(kBody,
                     fmt::arg("blocks_per_job", batch.blocks_per_job),
                     fmt::arg("blocks", batch.blocks),
                     fmt::arg("folder", shell_word(batch.folder.string())),
                     fmt::arg("program", shell_word(batch.program.string())),
                     fmt::arg("study", batch.study),
                     fmt::arg("machine", machine_words(batch)));
}

std::string follow_up_script(const Batch& batch, std::int64_t more, std::int64_t ended) {
  return script_head(batch, follow_up_options(batch)) +
         fmt::format(
             kFollowUp,
             fmt::arg("name", batch.name),
             fmt::arg("tries",
                      static_cast<int>(std::min(300.0, follow_up_limit_s(batch) / 2.0) / 5.0)),
             fmt::arg("results", shell_word(batch.folder.parent_path().parent_path().string())),
             fmt::arg("program", shell_word(batch.program.string())),
             fmt::arg("study", batch.study),
             fmt::arg("machine", machine_words(batch)),
             fmt::arg("variable", kEndedBefore),
             fmt::arg("ended", ended),
             fmt::arg("more", more));
}

}  // namespace scalestudy
