#include "harness/run/outcome/outcome.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "harness/store/tables/summary.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"
#include "workloads/protocol/exit_codes.h"

namespace scalestudy {
namespace {

constexpr int kSignalExitBase = 128;  // mpirun and shells report a child's signal as 128 + number

template <typename Event>
const Event* find_event(const protocol::Record& record) {
  for (const protocol::Event& event : record.events) {
    if (const auto* found = std::get_if<Event>(&event)) {
      return found;
    }
  }
  return nullptr;
}

const protocol::Samples* find_step_times(const protocol::Record& record) {
  for (const protocol::Event& event : record.events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == names::kStepTime && !samples->rank) {
      return samples;
    }
  }
  return nullptr;
}

// The signal that ended the trial, also one that mpirun or a shell translated into its exit code.
std::optional<int> ending_signal(const LaunchResult& launch) {
  if (launch.signal) {
    return launch.signal;
  }
  if (launch.exit_code && *launch.exit_code > kSignalExitBase &&
      *launch.exit_code < kSignalExitBase + NSIG) {
    return *launch.exit_code - kSignalExitBase;
  }
  return std::nullopt;
}

// Whether it is what torchrun prints before it starts the program, which is no reason of an end.
bool is_preamble(const std::string& line) {
  constexpr std::array<std::string_view, 3> signs{
      "torch/distributed/run.py:", "WARNING:torch.distributed.run:", "Setting OMP_NUM_THREADS"};
  return std::ranges::any_of(
      signs, [&](std::string_view sign) { return line.find(sign) != std::string::npos; });
}

// The last line of stderr with a word in it and no preamble, before what Open MPI's mpirun says
// about a program that ended. A trial that was launched again has two such ends. If the program
// itself printed nothing, which rank ended early by mpirun's word.
std::string last_words(std::string text) {
  constexpr std::string_view by_rank = " has exited due to process rank ";
  std::size_t end = text.rfind("Primary job  terminated normally");
  std::string silent;
  if (const std::size_t rank = text.rfind(by_rank);
      rank != std::string::npos && (end == std::string::npos || end < rank)) {
    const std::size_t at = rank + by_rank.size();
    silent = fmt::format("rank {} ended without MPI_Finalize or was aborted, and printed no reason",
                         text.substr(at, text.find_first_of(" \n", at) - at));
    end = text.rfind('\n', rank) + 1;  // 0 in the first line
  }
  text.resize(std::min(end, text.size()));
  std::string line = last_lines(text, 1);
  while (!line.empty() && (is_preamble(line) || std::ranges::none_of(line, [](unsigned char c) {
                             return std::isalnum(c);
                           }))) {
    text.resize(text.rfind(line));
    line = last_lines(text, 1);
  }
  const bool is_advice = line.starts_with("You can avoid this message by specifying -quiet");
  return line.empty() || (is_advice && !silent.empty()) ? silent : line;
}

// What the trial itself said about its failure: its end event, else the last words of stderr.
std::string own_words(const TrialEvidence& evidence) {
  const auto* end = find_event<protocol::End>(evidence.record);
  const std::string text = end != nullptr && !end->ok && !end->message.empty()
                               ? end->message
                               : last_words(evidence.stderr_tail);
  return text.empty() ? "" : ": " + text;
}

// Where a trial was when it was ended: ", in phase measure". Empty when it said nothing of itself.
std::string last_phase(const protocol::Record& record) {
  std::string name;
  for (const protocol::Event& event : record.events) {
    if (const auto* phase = std::get_if<protocol::Phase>(&event)) {
      name = phase->name;
    }
  }
  return name.empty() ? "" : ", in phase " + name;
}

// Fit for a table: a trial may have given itself megabytes of words.
std::string one_line(std::string text) {
  constexpr std::size_t most_bytes = 1000;
  if (text.size() > most_bytes) {
    text = text.substr(0, most_bytes) + " ...";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

// The reason as it is told: half of a secret, cut off, would not be known as one.
std::string told(const Outcome& outcome, const TrialEvidence& evidence) {
  return one_line(masked(outcome.reason, evidence.secrets));
}

// The last line of stderr that says so where a program that knows nothing of our exit codes ran out
// of memory; empty when none does.
std::string out_of_memory_line(const std::string& text) {
  constexpr std::array<std::string_view, 7> signs{"OutOfMemoryError",  // torch.
                                                  "CUDA out of memory",
                                                  "CUDA error: out of memory",
                                                  "DefaultCPUAllocator: can't allocate memory",
                                                  "DefaultCPUAllocator: not enough memory",
                                                  "RESOURCE_EXHAUSTED: Out of memory",  // XLA
                                                  "std::bad_alloc"};
  std::size_t last = std::string::npos;
  for (const std::string_view sign : signs) {
    const std::size_t at = text.rfind(sign);
    last = at != std::string::npos && (last == std::string::npos || at > last) ? at : last;
  }
  return last == std::string::npos ? "" : last_lines(text.substr(0, text.find('\n', last)), 1);
}

// What a program wrote last may be missing, also the reason why it failed or fell silent.
std::optional<Outcome> judge_disk(const TrialEvidence& evidence) {
  if (!evidence.launch.is_disk_full || evidence.launch.ending == LaunchEnding::kNotStarted) {
    return std::nullopt;
  }
  return Outcome{TrialState::kFailed,
                 "the disk was full when it ended, so its output may be cut: free space in " +
                     evidence.results};
}

std::optional<Outcome> judge_ending(const TrialEvidence& evidence) {
  const LaunchResult& launch = evidence.launch;
  switch (launch.ending) {
    case LaunchEnding::kNotStarted:
    case LaunchEnding::kTooLong:
      return Outcome{TrialState::kFailed, launch.message};
    case LaunchEnding::kTimeout:
      return Outcome{TrialState::kTimeout,
                     fmt::format("still running after {} (limits.timeout){}",
                                 format_duration(evidence.timeout_s),
                                 last_phase(evidence.record))};
    case LaunchEnding::kSilence:
      return Outcome{TrialState::kTimeout,
                     fmt::format("no output for {} (limits.silence){}",
                                 format_duration(evidence.silence_s),
                                 last_phase(evidence.record))};
    case LaunchEnding::kInterrupted:
      return Outcome{TrialState::kFailed, "interrupted"};
    case LaunchEnding::kExited:
    case LaunchEnding::kSignaled:
      break;
  }
  if (evidence.has_protocol_codes && launch.exit_code == protocol::kExitUnsupported) {
    return Outcome{TrialState::kUnsupported,
                   "the workload cannot run this here" + own_words(evidence)};
  }
  if (evidence.has_protocol_codes && launch.exit_code == protocol::kExitOutOfMemory) {
    const std::string words = own_words(evidence);
    return Outcome{
        TrialState::kOom,
        words.starts_with(": out of memory") ? words.substr(2) : "out of memory" + words};
  }
  if (const std::string line = out_of_memory_line(evidence.stderr_tail);
      !line.empty() && launch.exit_code != protocol::kExitOk) {
    return Outcome{TrialState::kOom, "out of memory: " + line};
  }
  if (const std::optional<int> signal = ending_signal(launch)) {
    if (*signal == SIGKILL && evidence.oom_killed) {
      return Outcome{TrialState::kOom, "killed by the kernel, which was out of memory"};
    }
    const std::string words = launch.message.empty() ? own_words(evidence) : ": " + launch.message;
    return Outcome{TrialState::kFailed, "ended by " + signal_name(*signal) + words};
  }
  if (launch.ending == LaunchEnding::kSignaled) {  // without a signal: the supervisor was lost
    return Outcome{TrialState::kFailed, launch.message};
  }
  if (launch.exit_code != protocol::kExitOk) {
    return Outcome{
        TrialState::kFailed,
        fmt::format("exit code {}{}", launch.exit_code.value_or(-1), own_words(evidence))};
  }
  return std::nullopt;
}

std::optional<Outcome> judge_lines(const TrialEvidence& evidence) {
  return evidence.fail_line.empty()
             ? std::nullopt
             : std::optional(Outcome{TrialState::kFailed, "fail_if: " + evidence.fail_line});
}

std::optional<double> counted_nodes(const protocol::Start* start) {
  if (start == nullptr) {
    return std::nullopt;
  }
  const auto found = start->facts.find("node_count");
  return found == start->facts.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Outcome> judge_record(const TrialEvidence& evidence) {
  const protocol::Record& record = evidence.record;
  if (!record.problems.empty()) {
    // Another attempt of a program that measures no number would measure none again.
    return Outcome{record.has_bad_numbers ? TrialState::kInvalid : TrialState::kFailed,
                   "unusable output: " + record.problems.front()};
  }
  const auto* end = find_event<protocol::End>(record);
  if (end == nullptr) {
    return Outcome{TrialState::kFailed,
                   record.truncated ? "the output file breaks off in the middle of a line"
                                    : "the output file has no end event"};
  }
  if (!end->ok) {
    return Outcome{TrialState::kFailed, "the workload reported a failed end" + own_words(evidence)};
  }
  const auto* start = find_event<protocol::Start>(record);
  if (start != nullptr && evidence.ranks && start->ranks != *evidence.ranks) {
    return Outcome{
        TrialState::kFailed,
        fmt::format("the workload counted {} rank(s), but {} were launched{}",
                    start->ranks,
                    *evidence.ranks,
                    start->ranks == 1 ? ": each ran alone, as its launcher and its MPI library do "
                                        "not know each other (see docs/how-to/clusters.md)"
                                      : "")};
  }
  if (const std::optional<double> nodes = counted_nodes(start);
      nodes && evidence.nodes && *nodes != static_cast<double>(*evidence.nodes)) {
    return Outcome{
        TrialState::kFailed,
        fmt::format(
            "the ranks ran on {:g} node(s), and the cell asks for {}", *nodes, *evidence.nodes)};
  }
  for (const protocol::Event& event : record.events) {
    const auto* check = std::get_if<protocol::Check>(&event);
    if (check != nullptr && !check->passed) {
      return Outcome{
          TrialState::kInvalid,
          "check " + check->name + " failed" + (check->detail.empty() ? "" : ": " + check->detail)};
    }
  }
  return std::nullopt;
}

// How to declare the steps of a command that printed `found` step times.
std::string advice_on_steps(std::int64_t found, const Steps& steps) {
  if (found == 1) {
    return "; to measure one value a run, declare steps: {warmup: 0, measured: 1}";
  }
  return steps.is_open ? ""
                       : "; with steps: {measured: rest} whatever follows the warm-up is measured";
}

std::optional<Outcome> judge_steps(const TrialEvidence& evidence) {
  const protocol::Samples* steps = find_step_times(evidence.record);
  if (steps == nullptr) {
    return Outcome{TrialState::kFailed, "no step_time_s over all ranks in the output"};
  }
  const std::optional<protocol::CoveredSteps>& covered = evidence.record.covered;
  const std::int64_t found = covered ? covered->steps : std::ssize(steps->values);
  const std::int64_t warmup = covered ? covered->warmup : steps->warmup;
  const std::int64_t required = std::int64_t{evidence.steps.warmup} + evidence.steps.measured;
  const bool has_warmup = warmup >= evidence.steps.warmup;
  const bool is_enough = evidence.steps.are_floors()
                             ? has_warmup && found - warmup >= evidence.steps.measured
                             : covered && has_warmup && warmup < found && found == required;
  if (!is_enough && (covered || found != required || warmup != evidence.steps.warmup)) {
    const bool is_command = !evidence.ranks;
    return Outcome{
        TrialState::kFailed,
        fmt::format(
            "{} step times, {} of them warm-up; the study declares {}{}, {} of them warm-up{}",
            found,
            warmup,
            evidence.steps.are_floors() ? "at least " : "",
            required,
            evidence.steps.warmup,
            is_command ? advice_on_steps(found, evidence.steps) : "")};
  }
  // A value of the warm-up may be missing, which is NaN: nothing rests on it.
  const auto bad =
      std::find_if(steps->values.begin(), steps->values.end(), [&](const double& value) {
        const bool is_warmup = &value - steps->values.data() < steps->warmup;
        return !is_step_time(value) && !(is_warmup && std::isnan(value));
      });
  if (bad != steps->values.end()) {
    return Outcome{TrialState::kInvalid,
                   fmt::format("step_time_s of step {} is {:g}: a time must be {}",
                               bad - steps->values.begin(),
                               *bad,
                               *bad > 0.0 && std::isfinite(*bad) ? "within 1e-12 s and 1e12 s"
                                                                 : "above 0 and finite")};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Outcome> judge_launch(const TrialEvidence& evidence) {
  std::optional<Outcome> outcome = judge_ending(evidence);
  if (outcome) {
    outcome->reason = told(*outcome, evidence);
  }
  return outcome;
}

Outcome judge_trial(const TrialEvidence& evidence) {
  for (const auto& judge : {judge_disk, judge_ending, judge_lines, judge_record, judge_steps}) {
    if (auto outcome = judge(evidence)) {
      outcome->reason = told(*outcome, evidence);
      return *outcome;
    }
  }
  return Outcome{TrialState::kOk, ""};
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos || count == 0) {
    return "";
  }
  ++end;
  std::size_t begin = end;
  for (std::size_t lines = 0; begin > 0; --begin) {
    if (text[begin - 1] == '\n' && ++lines == count) {
      break;
    }
  }
  return text.substr(begin, end - begin);
}

}  // namespace scalestudy
