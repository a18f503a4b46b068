#include "harness/run/attempt/named_programs.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/paths.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

// A file of JSON is often what a command writes.
bool is_config(const fs::path& file) {
  static const std::set<std::string> kSuffixes{".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf"};
  return kSuffixes.contains(file.extension().string()) ||
         (file.extension() == ".json" &&
          file.filename().string().find("conf") != std::string::npos);
}

// Programs that start the one that their arguments name.
bool is_starter(const fs::path& program) {
  static const std::set<std::string> kNames{"mpirun",
                                            "mpiexec",
                                            "orterun",
                                            "prterun",
                                            "srun",
                                            "env",
                                            "exec",
                                            "nice",
                                            "numactl",
                                            "taskset",
                                            "time",
                                            "timeout",
                                            "stdbuf",
                                            "nohup"};
  return kNames.contains(program.filename().string());
}

// Whether the word is the path of an executable file.
bool is_executable(const LaunchCommand& command, const std::string& word) {
  std::error_code error;
  const fs::path file = named_file(command, word);
  return word.find('/') != std::string::npos && fs::is_regular_file(file, error) &&
         (fs::status(file, error).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

// The words of a command, of "--config=a.yaml" and "CONFIG=a.yaml" the value; without those that an
// option for output (-o, --output) says will be written.
Words read_values(const Words& words) {
  Words values;
  std::string option;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    option = equals == std::string::npos ? option : word.substr(0, equals);
    if (option != "-o" && option.find("out") == std::string::npos) {
      values.push_back(word.substr(equals + 1));
    }
    option = word.starts_with('-') && equals == std::string::npos ? word : "";
  }
  return values;
}

// The words of each command in a line of shell, without quotes and without what > writes.
std::vector<Words> shell_commands(const std::string& text) {
  std::vector<Words> commands(1);
  std::string word;
  bool is_written = false;
  for (const char c : text + "\n") {
    if (c == '"' || c == '\'') {
      continue;
    }
    if (std::string_view(" \t\n;|&()`<>").find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    if (!word.empty() && !std::exchange(is_written, false)) {
      commands.back().push_back(word);
    }
    word.clear();
    is_written = is_written || c == '>';
    if (std::string_view("\n;|&()`").find(c) != std::string_view::npos) {
      commands.emplace_back();
    }
  }
  return commands;
}

// Adds the first script and the first configuration file of a command's words, and its program
// unless a command before it may have made that.
void add_first(const LaunchCommand& command, const Words& words, bool may_be_made, Words& named) {
  const auto first = [&](auto begin, auto end, const auto& is_kind) {
    const auto found = std::find_if(begin, end, is_kind);
    if (found != end) {
      named.push_back(*found);
    }
  };
  const Words values = read_values(words);
  first(values.begin(), values.end(), is_script);
  if (command.setup.empty()) {
    first(values.begin(), values.end(), is_config);
  }
  const auto program = std::ranges::find_if(
      words, [](const std::string& word) { return word.find('=') == std::string::npos; });
  if (program != words.end() && !may_be_made) {
    first(program,
          is_starter(*program) ? words.end() : std::next(program),
          [&](const std::string& word) { return is_executable(command, word); });
  }
}

}  // namespace

bool is_script(const fs::path& file) {
  static const std::set<std::string> kSuffixes{
      ".py", ".sh", ".bash", ".pl", ".rb", ".jl", ".js", ".lua", ".R", ".r"};
  return kSuffixes.contains(file.extension().string());
}

fs::path named_file(const LaunchCommand& command, const std::string& name) {
  return name == command.argv.front() && name.find('/') == std::string::npos
             ? find_program(name).value_or("")
             : fs::path(command.working_folder) / name;
}

std::vector<std::string> named_programs(const LaunchCommand& command) {
  Words named;
  std::copy_if(
      std::next(command.argv.begin()), command.argv.end(), std::back_inserter(named), is_script);
  add_first(command, command.argv, false, named);
  for (const std::string& argument : command.argv) {
    if (argument.find_first_of(" \n") == std::string::npos) {
      continue;
    }
    bool is_later = false;
    for (const Words& words : shell_commands(argument)) {
      add_first(command, words, is_later, named);
      is_later = is_later || !words.empty();
    }
  }
  Words once{command.argv.front()};
  std::ranges::copy_if(named, std::back_inserter(once), [&](const std::string& name) {
    std::error_code error;
    return std::ranges::find(once, name) == once.end() &&
           fs::is_regular_file(named_file(command, name), error);
  });
  return once;
}

}  // namespace scalestudy
