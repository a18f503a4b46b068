#include "harness/cli/start/init_command.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/base/scratch_folder.h"
#include "harness/cli/run/stop_handlers.h"
#include "harness/cli/start/init_axes.h"
#include "harness/run/command/launch_command.h"
#include "harness/run/outcome/guess_rules.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/process/process_launcher.h"
#include "harness/study/matrix/command.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/study/remarks.h"
#include "harness/text/number.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostShown = 70;    // characters of a line that is shown
constexpr std::size_t kMostOfNote = 300;  // of a sentence that quotes one

bool is_line(const InitCommand& init) {
  return init.command.size() == 1 && init.command.front().find(' ') != std::string::npos;
}

std::string shown(const std::string& line, std::size_t most = kMostShown) {
  const std::string text = printable(first_characters(line, most));
  return text.size() < line.size() ? text + " ..." : text;
}

// The program for the title: a script where one is named, else the first word.
// "train.py"; "the command" for a line of shell whose first word says nothing, as cat of a log.
std::string program_of(const InitCommand& init) {
  static const std::set<std::string> kShells{
      "sh", "bash", "dash", "zsh", "cat", "for", "while", "until", "if", "case", "(", "{", "[["};
  std::string program = init.command.front();
  program = program.substr(0, program.find(' '));
  for (const std::string& word : init.command) {
    if (word.ends_with(".py") || word.ends_with(".sh")) {
      program = word;
      break;
    }
  }
  program = std::filesystem::path(program).filename().string();
  return kShells.contains(program) ? "the command" : program;
}

// What the study says of the program's output.
struct OutputPart {
  std::string extract;  // the section, with its comments
  std::string steps;    // the section; empty for a whole command
  std::string fill_in;  // a parameter that a person has to fill in, with its comment; empty: none
};

std::string head_text(const InitCommand& init,
                      const std::vector<Varied>& axes,
                      const std::string& name) {
  std::vector<std::string> words;
  for (const std::string& word : init.command) {
    words.push_back(yaml_word(word));
  }
  return fmt::format(
      "# Written by scalestudy init after one run of the command. Check what is marked "
      "\"guessed\".\n"
      "version: 1\nstudy: {}\ntitle: {}\nworkload: command\ncommand: {}\n",
      name,
      yaml_word(title_of(axes, program_of(init))),
      is_line(init) ? words.front() : "[" + join(words, ", ") + "]");
}

std::string study_text(const InitCommand& init,
                       const std::vector<Varied>& axes,
                       const std::string& name,
                       const OutputPart& reading) {
  return head_text(init, axes, name) + axes_text(axes) + parameters_text(axes, reading.fill_in) +
         reading.extract + reading.steps +
         "trials: 5   # fresh starts of the command for each cell\nanalysis:\n" +
         baseline_text(axes) + "  margin: 2%   # smaller differences do not matter\n";
}

OutputPart whole_command(const std::string& why) {
  return {.extract = "extract:   # " + why + "\n  - {metric: step_time_s, from: wall_time}\n",
          .steps = "",
          .fill_in = ""};
}

// How many samples a step has, as per_step; "" if the axes do not say. A cell with one batch size
// has the other too. How many devices share a batch is known if the command takes their number.
std::string amount_of_step(const GuessedRules& guess, const std::vector<Varied>& axes) {
  const char* own = guess.is_per_device ? names::kBatchPerDevice : names::kBatchGlobal;
  const char* other = guess.is_per_device ? names::kBatchGlobal : names::kBatchPerDevice;
  const bool is_known =
      has_axis(axes, own) || (has_axis(axes, other) && has_axis(axes, names::kDevices));
  return guess.preset.empty() && guess.rules.front().unit == "samples/s" && is_known
             ? fmt::format("{{{}}}", own)
             : "";
}

// The batch that is a step's part of an epoch whose time is printed; "" if the lines are those of
// steps, or if no axis has a batch: an epoch is then as good as a step.
std::string batch_in_epoch(const GuessedRules& guess, const std::vector<Varied>& axes) {
  const bool has_batch_per_device = has_axis(axes, names::kBatchPerDevice);
  const bool has_global = has_axis(axes, names::kBatchGlobal) ||
                          (has_batch_per_device && has_axis(axes, names::kDevices));
  return !guess.is_per_epoch    ? ""
         : has_global           ? names::kBatchGlobal
         : has_batch_per_device ? names::kBatchPerDevice
                                : "";
}

// The work of a step, where the study has to know it and the axes do not say it; "" elsewhere.
std::string fill_in_text(const GuessedRules& guess, const std::vector<Varied>& axes) {
  if (const std::string batch = batch_in_epoch(guess, axes); !batch.empty()) {
    return fmt::format("samples_per_epoch: 50000   # fill in: samples of an epoch{}",
                       batch == names::kBatchPerDevice ? " on each device" : "");
  }
  const bool is_open = is_varied(axes, names::kDevices) && !has_axis(axes, names::kBatchGlobal) &&
                       !has_axis(axes, names::kBatchPerDevice) &&
                       !has_axis(axes, names::kMessageBytes);
  return !is_open             ? ""
         : guess.is_per_epoch ? "batch_global: 50000   # fill in: samples of an epoch, which is a "
                                "step here"
                              : "batch_per_device: 32   # fill in: samples per step on each "
                                "device; or batch_global: on all together";
}

std::string rule_text(const ExtractRule& rule, const std::string& amount) {
  const bool has_amount = rule.metric == names::kStepTime && !amount.empty();
  return fmt::format("{{metric: {}, unit: {}{}, regex: {}{}{}}}",
                     rule.metric,
                     rule.unit == "1" ? "\"1\"" : rule.unit,
                     has_amount ? ", per_step: " + yaml_word(amount) : "",
                     yaml_word(rule.regex),
                     rule.decimal == DecimalMark::kComma ? ", decimal: comma" : "",
                     rule.is_difference ? ", difference: true" : "");
}

// The first steps are slower: a quarter of the times that were seen, ten at most. A command that
// was ended early may print more than one.
std::string steps_text(const GuessedRules& guess, bool is_cut) {
  constexpr std::size_t most = 10;
  const char* what = guess.is_per_epoch ? "epoch" : "step";
  if (guess.steps == 1 && !is_cut) {
    return fmt::format(
        "steps: {{warmup: 0, measured: 1}}   # guessed: the command prints one {} time\n", what);
  }
  const std::int64_t warmup =
      static_cast<std::int64_t>(std::min(guess.steps / 4, most)) * guess.interval;
  return fmt::format(
      "steps: {{warmup: {}, measured: rest}}   # guessed: {}\n",
      warmup,
      warmup == 0
          ? fmt::format("all {} {}s count", guess.covered, what)
          : fmt::format("the first {} of {} {}s do not count", warmup, guess.covered, what));
}

OutputPart reading_of(const GuessedRules& guess, const std::vector<Varied>& axes, bool is_cut) {
  if (guess.rules.empty()) {
    return whole_command("guessed: no step times were found, so that the whole command is timed");
  }
  const std::string amount = amount_of_step(guess, axes);
  if (guess.needs_amount && amount.empty()) {
    return {
        .extract =
            "extract:   # guessed: the command prints a rate, but not the size of a step\n"
            "  - {metric: step_time_s, from: wall_time}   # so the whole command is timed\n  # Set "
            "per_step to the size of a step" +
            std::string(guess.is_per_device ? " on one device" : "") +
            " to use this instead:\n  # - " +
            (guess.preset.empty() ? rule_text(guess.rules.front(), "32")
                                  : fmt::format("{{preset: {}, per_step: 32}}", guess.preset)) +
            "\n",
        .steps = "",
        .fill_in = ""};
  }
  OutputPart reading{
      .extract = {}, .steps = steps_text(guess, is_cut), .fill_in = fill_in_text(guess, axes)};
  const std::string like = guess.examples.empty() ? "" : ", e.g. " + shown(guess.examples.front());
  if (!guess.preset.empty()) {
    reading.extract = fmt::format("extract: {{preset: {}}}   # recognised{}\n", guess.preset, like);
    return reading;
  }
  reading.extract = fmt::format("extract:   # guessed{}\n", like);
  const std::string batch = batch_in_epoch(guess, axes);
  for (ExtractRule rule : guess.rules) {
    rule.unit += rule.metric == names::kStepTime && !batch.empty() ? "/epoch" : "";
    reading.extract +=
        "  - " +
        rule_text(rule,
                  batch.empty() ? amount : fmt::format("{{{}}} / {{samples_per_epoch}}", batch)) +
        "\n";
  }
  return reading;
}

Study parsed(const std::string& text) {
  ParsedStudy parsed = parse_study(text, "", {});
  if (!parsed.problems.empty()) {
    throw Error(ErrorKind::kUsage,
                format_problems(parsed.problems, text, "the study of this command"));
  }
  return std::move(parsed.study);
}

// The command as a trial of the first cell would start it.
// - own_folder: what {trial_folder} stands for; it is made.
std::vector<std::string> first_command(const Study& study,
                                       const std::filesystem::path& own_folder) {
  LaunchCommand command;
  command.argv = expand_arguments(study.command, expand(study).cells.front());
  std::error_code ignored;  // the command then says that it lacks the folder
  std::filesystem::create_directory(own_folder, ignored);
  return with_trial_folder(with_free_port(command), own_folder.string()).argv;
}

ProgramOutput run_once(const Study& study, double limit_s, Terminal& terminal) {
  const ScratchFolder folder("init");
  const std::vector<std::string> argv = first_command(study, folder.file("files"));
  std::vector<std::string> words;
  std::ranges::transform(argv, std::back_inserter(words), shell_word);
  terminal.note(fmt::format("running the command once, for at most {} (--limit): {}",
                            format_duration(limit_s),
                            join(words, " ")));
  LaunchRequest request;
  request.argv = argv;
  request.stdout_path = folder.file("stdout");
  request.stderr_path = folder.file("stderr");
  request.output_path = folder.file("protocol");
  request.timeout_s = limit_s;
  request.silence_s = limit_s;
  ProcessLauncher launcher;
  install_stop_handlers(/*cleans_up=*/false);
  const LaunchResult launch = launcher.launch(request, stop_requested);
  ProgramOutput output{.out = read_file(request.stdout_path.string()).value_or(""),
                       .err = read_file(request.stderr_path.string()).value_or(""),
                       .wall_s = launch.wall_s};
  if (launch.ending == LaunchEnding::kInterrupted) {
    throw Error(ErrorKind::kInterrupted, "stopped; nothing was written");
  }
  output.is_cut = launch.ending == LaunchEnding::kTimeout ||
                  launch.ending == LaunchEnding::kSilence ||
                  launch.ending == LaunchEnding::kTooLong;
  if (!output.is_cut && launch.exit_code != 0) {
    const std::string words_of_it = last_lines(output.err.empty() ? output.out : output.err, 1);
    throw Error(
        ErrorKind::kUsage,
        fmt::format("the command {}{}; nothing was written",
                    launch.exit_code ? fmt::format("ended with exit code {}", *launch.exit_code)
                    : launch.signal  ? "was ended by " + signal_name(*launch.signal)
                                     : "could not be started: " + launch.message +
                                          (request.argv.front().find('=') == std::string::npos
                                               ? ""
                                               : ". To set a variable, quote the whole command"),
                    words_of_it.empty() ? "" : ": " + shown(words_of_it)));
  }
  terminal.note(output.is_cut ? fmt::format("ended it after {}", format_duration(launch.wall_s))
                              : fmt::format("it took {}", format_duration(launch.wall_s)));
  return output;
}

void tell_lines(const GuessedRules& guess, const ProgramOutput& output, Terminal& terminal) {
  if (guess.rules.empty()) {
    std::string text = output.out.empty() ? output.err : output.out;
    terminal.note(text.empty() ? "it printed nothing, and so no step times"
                               : "found no step times in what it printed:");
    for (int i = 0; i < 3 && !text.empty(); ++i) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      terminal.note("    " + shown(text.substr(0, end)));
      text.erase(0, end + 1);
    }
    return;
  }
  terminal.note(fmt::format("{} {}{}",
                            guess.preset.empty() ? "guessed a rule that finds"
                                                 : "recognised the output of " + guess.preset + ":",
                            format_count(static_cast<std::int64_t>(guess.steps),
                                         guess.is_per_epoch ? "epoch time" : "step time"),
                            guess.examples.empty() ? "" : " in lines like:"));
  for (const std::string& line : guess.examples) {
    terminal.note("    " + shown(line));
  }
  if (!guess.problem.empty()) {
    terminal.warn("a trial with this output would fail: " + guess.problem);
  }
}

void tell_guess(const GuessedRules& guess, const ProgramOutput& output, Terminal& terminal) {
  tell_lines(guess, output, terminal);
  for (const std::string& note : guess.notes) {
    terminal.note(shown(note, kMostOfNote));
  }
}

}  // namespace

std::string study_of_command(const InitCommand& init, const std::string& name, Terminal& terminal) {
  const std::vector<Varied> axes = axes_of(init);
  const Study draft = parsed(study_text(init, axes, name, whole_command("a draft")));
  const ProgramOutput output = run_once(draft, init.limit_s, terminal);
  std::vector<std::string> values;
  for (const Varied& axis : axes) {
    values.push_back(axis.list.values.front());
  }
  const GuessedRules guess = guess_rules(output, values);
  tell_guess(guess, output, terminal);
  const std::string text = study_text(init, axes, name, reading_of(guess, axes, output.is_cut));
  if (!batch_in_epoch(guess, axes).empty()) {
    terminal.warn(
        "these are times of epochs, and a step is the batch's part of one. Fill in "
        "samples_per_epoch under parameters: without it the study is refused");
    return text;
  }
  if (guess.is_per_epoch) {
    terminal.note("the lines are those of epochs, so an epoch counts as a step");
  }
  if (guess.rules.empty() &&
      (is_varied(axes, names::kBatchGlobal) || is_varied(axes, names::kBatchPerDevice))) {
    terminal.warn(
        "a run counts as one step of one batch, so a batch of twice the size looks twice as fast. "
        "If a run trains the same samples at every batch, give the batch another name, such as "
        "{batch_size}: runs are then compared by their time");
  }
  const Study study = parsed(text);
  if (const std::string open = unstated_work(study, expand(study)); !open.empty()) {
    terminal.warn(open);
  }
  for (const std::string& unseen : unseen_devices(study)) {
    terminal.warn(unseen);
  }
  return text;
}

}  // namespace scalestudy
