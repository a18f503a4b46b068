#include "harness/run/attempt/provenance.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/home.h"
#include "harness/base/read_file.h"
#include "harness/host/git_state.h"
#include "harness/run/attempt/named_programs.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/process/open_logs.h"
#include "harness/run/process/process_launcher.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parameters/told_variables.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20U;  // of a program that is hashed

// The hash of a program or script; absent of what is no file, cannot be read or is too large.
std::optional<std::string> hash_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMostBytes) {
    return std::nullopt;
  }
  const std::optional<std::string> content = read_file(file);
  return content ? std::optional(text_hash(*content)) : std::nullopt;
}

// Its size and the time at which it was written; absent of what cannot be read.
std::optional<std::pair<std::uintmax_t, fs::file_time_type>> stamp_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) {
    return std::nullopt;
  }
  const fs::file_time_type time = fs::last_write_time(file, error);
  return error ? std::nullopt : std::optional(std::pair(size, time));
}

// The folder of the commands that run in no checkout.
fs::path working_folder_of(const std::map<std::string, LaunchCommand>& commands) {
  fs::path folder = ".";
  for (const auto& [hash, command] : commands) {
    if (command.checkout_side.empty()) {
      folder = command.working_folder.empty() ? "." : command.working_folder;
    }
  }
  return folder;
}

// What is to be asked, by the name of its fact.
std::vector<std::pair<std::string, LaunchRequest>> version_probes(
    const Study& study, const std::map<std::string, LaunchCommand>& commands) {
  std::vector<std::pair<std::string, LaunchRequest>> probes;
  for (const auto& [name, argv] : study.versions) {
    LaunchRequest request;
    request.argv = argv;
    if (study.sides.empty()) {
      probes.emplace_back(name, request);
    }
    for (const StudySide& side : study.sides) {
      LaunchRequest asked = request;
      asked.environment = study.environment;
      asked.working_folder = study.working_folder;
      const auto in_commit = std::ranges::find_if(
          commands, [&](const auto& command) { return command.second.checkout_side == side.name; });
      if (in_commit != commands.end()) {
        asked.environment = in_commit->second.environment;
        asked.working_folder = in_commit->second.working_folder;
      }
      for (const auto& [variable, value] : side.environment) {
        asked.environment[variable] = value;
      }
      asked.argv.insert(asked.argv.begin(), side.prefix.begin(), side.prefix.end());
      probes.emplace_back(side.name + ":" + name, std::move(asked));
    }
  }
  return probes;
}

}  // namespace

std::vector<EnvironmentRow> side_facts(const Study& study,
                                       const std::map<std::string, Checkout>& checkouts) {
  std::vector<EnvironmentRow> rows;
  for (const StudySide& side : study.sides) {
    if (!checkouts.empty()) {
      const auto checkout = checkouts.find(side.name);
      rows.push_back({kSideFact + side.name,
                      git_state(checkout == checkouts.end() ? checkouts.begin()->second.repository
                                                            : checkout->second.folder)});
    }
  }
  return rows;
}

std::vector<EnvironmentRow> program_facts(const std::map<std::string, LaunchCommand>& commands) {
  std::map<std::string, std::string> hashes;
  std::set<std::tuple<std::string, std::string, std::string>> seen;  // side, folder, argument
  fs::path script_folder;
  for (const auto& [hash, command] : commands) {
    const std::string& side = command.checkout_side;
    for (const std::string& argument : named_programs(command)) {
      if (!seen.emplace(side, command.working_folder, argument).second) {
        continue;
      }
      const fs::path file = named_file(command, argument);
      const std::optional<std::string> of_file = hash_of(file);
      if (!of_file) {
        continue;
      }
      hashes[side.empty() ? argument : side + ":" + argument] = *of_file;
      if (side.empty() && script_folder.empty() && is_script(file)) {
        script_folder = fs::absolute(file).parent_path();
      }
    }
  }
  std::vector<EnvironmentRow> rows;
  for (const auto& [name, hash] : hashes) {
    rows.push_back({kFileFact + name, hash});
  }
  const std::string state =
      git_state(script_folder.empty() ? working_folder_of(commands) : script_folder);
  if (!state.empty()) {
    rows.push_back({kProgramGit, state});
  }
  return rows;
}

ProgramWatch::ProgramWatch(const std::map<std::string, LaunchCommand>& commands) {
  for (const auto& [hash, command] : commands) {
    for (const std::string& argument : named_programs(command)) {
      const fs::path file = named_file(command, argument);
      const auto stamp = stamp_of(file);
      if (!stamp || files_.contains(file)) {
        continue;
      }
      if (const std::optional<std::string> content = hash_of(file)) {
        files_.emplace(file, File{.first = *content, .last = *content, .stamp = *stamp});
      }
    }
  }
}

std::vector<std::string> ProgramWatch::edited(const LaunchCommand& command) {
  std::vector<std::string> names;
  for (const std::string& argument : named_programs(command)) {
    const fs::path path = named_file(command, argument);
    const auto found = files_.find(path);
    const auto stamp = stamp_of(path);
    if (found == files_.end() || !stamp) {
      continue;
    }
    File& file = found->second;
    if (*stamp != file.stamp) {
      file.last = hash_of(path).value_or(file.last);
      file.stamp = *stamp;
    }
    if (file.last != file.first) {
      names.push_back(argument);
    }
  }
  return names;
}

std::vector<EnvironmentRow> version_facts(const Study& study,
                                          const std::map<std::string, LaunchCommand>& commands,
                                          const std::vector<std::string>& dropped,
                                          const fs::path& results,
                                          Launcher& launcher,
                                          const std::atomic<bool>& stop) {
  constexpr double patience_s = 60.0;
  constexpr std::int64_t most_bytes = std::int64_t{64} << 20U;
  const fs::path folder = fs::absolute(results) / "logs" / study.name;
  const std::vector<std::string> secrets = secret_values(study);
  std::vector<EnvironmentRow> rows;
  if (study.versions.empty()) {
    return rows;
  }
  const OpenLogs open(results, study, ".");
  for (auto& [name, request] : version_probes(study, commands)) {
    request.environment["SCALESTUDY_STORE"] = store_mark(results);
    request.unset_environment = dropped;
    request.stdout_path = folder / ("version." + name + ".stdout");
    request.stderr_path = folder / ("version." + name + ".stderr");
    request.output_path = request.stdout_path;
    request.timeout_s = request.silence_s = patience_s;
    request.most_bytes = most_bytes;
    const TrialEvidence evidence{.launch = launcher.launch(request, stop),
                                 .record = {},
                                 .steps = {},
                                 .ranks = {},
                                 .stderr_tail = read_tail(request.stderr_path),
                                 .timeout_s = patience_s,
                                 .silence_s = patience_s,
                                 .secrets = secrets};
    if (evidence.launch.ending == LaunchEnding::kInterrupted) {
      throw Error(ErrorKind::kInterrupted, "versions: stopped; no trial has been run");
    }
    const auto failure = judge_launch(evidence);
    const std::string printed = read_tail(request.stdout_path);
    rows.push_back({kVersionFact + name,
                    failure ? "not told: " + failure->reason
                            : printable(printed.substr(0, printed.find('\n')))});
  }
  return rows;
}

std::vector<EnvironmentRow> variable_facts(std::span<const std::string> inherited,
                                           const std::vector<std::string>& dropped) {
  std::vector<EnvironmentRow> rows;
  for (const std::string& entry : inherited) {
    const std::string name = entry.substr(0, entry.find('='));
    if (is_told_variable(name) && name.size() < entry.size() &&
        std::find(dropped.begin(), dropped.end(), name) == dropped.end()) {
      rows.push_back({std::string(kVariableFact) + name,
                      printable(without_home(entry.substr(name.size() + 1)))});
    }
  }
  std::ranges::sort(rows, {}, &EnvironmentRow::name);
  return rows;
}

std::vector<std::string> edited_programs(const std::vector<EnvironmentRow>& before,
                                         const std::vector<EnvironmentRow>& now,
                                         bool with_commit) {
  std::vector<std::string> lines;
  for (const EnvironmentRow& row : now) {
    const auto old = std::ranges::find(before, row.name, &EnvironmentRow::name);
    if (old == before.end() || old->value == row.value) {
      continue;
    }
    if (row.name.starts_with(kFileFact)) {
      lines.push_back(row.name.substr(std::string_view(kFileFact).size()) +
                      " is not the file that the last session ran");
    } else if (row.name.starts_with(kSideFact)) {
      lines.push_back(fmt::format("side {} is at {}, and was at {} in the last session",
                                  row.name.substr(std::string_view(kSideFact).size()),
                                  row.value,
                                  old->value));
    } else if (row.name == kProgramGit && with_commit) {
      lines.push_back(
          fmt::format("the program's repository is at {}, and was at {} in the last session",
                      row.value,
                      old->value));
    }
  }
  return lines;
}

std::string command_text(const LaunchCommand& command) {
  std::string text;
  for (const std::string& argument : command.argv) {
    text += shell_word(argument) + " ";
  }
  const fs::path folder = command.working_folder.empty() ? "." : command.working_folder;
  return printable(without_home(text + "in " + fs::absolute(folder).lexically_normal().string()));
}

}  // namespace scalestudy
