#include "harness/run/attempt/named_programs.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/paths.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

// True of options and files that are named like what is written: "-o", "--save-config",
// "results.yaml"; not of "layout.yaml".
bool sounds_written(const std::string& name) {
  static const Words kParts{"save", "dump", "write", "result", "report", "stdout"};
  constexpr std::string_view out = "out";
  std::size_t at = name.find(out);
  while (at != std::string::npos && at > 0 &&
         std::isalpha(static_cast<unsigned char>(name[at - 1])) != 0) {
    at = name.find(out, at + 1);
  }
  return name == "-o" || at != std::string::npos ||
         std::ranges::any_of(
             kParts, [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

// A file of JSON is often what a command writes.
bool is_config(const fs::path& file) {
  static const std::set<std::string> kSuffixes{".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf"};
  const std::string name = file.filename().string();
  return !sounds_written(name) &&
         (kSuffixes.contains(file.extension().string()) ||
          (file.extension() == ".json" && name.find("conf") != std::string::npos));
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
                                            "sh",
                                            "bash",
                                            "nohup"};
  return kNames.contains(program.filename().string());
}

// Commands of a shell that make no file.
bool makes_nothing(const std::string& program) {
  static const std::set<std::string> kNames{
      "export", "set", "ulimit", "source", ".", "module", "mkdir", "echo"};
  return kNames.contains(program);
}

bool is_executable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::is_regular_file(status) &&
         (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
}

// The words of a command, of "--config=a.yaml" and "CONFIG=a.yaml" the value; without those that an
// option says will be written.
Words read_values(const Words& words) {
  Words values;
  std::string option;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    option = equals == std::string::npos ? option : word.substr(0, equals);
    if (!sounds_written(option)) {
      values.push_back(word.substr(equals + 1));
    }
    option = word.starts_with('-') && equals == std::string::npos ? word : "";
  }
  return values;
}

// The words of each command in a line of shell, without quotes. What > writes is the command ">",
// a bracket one of its own.
std::vector<Words> shell_commands(const std::string& text) {
  std::vector<Words> commands(1);
  std::string word;
  char last = ' ';
  for (char c : text + "\n") {
    c = std::exchange(last, c) == '\\' && c == '\n' ? ' ' : c;  // the line goes on
    if (c == '"' || c == '\'' || c == '\\') {
      continue;
    }
    if (std::string_view(" \t\n;|&()`<>").find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    if (!word.empty()) {
      commands.back().push_back(std::exchange(word, ""));
    }
    if (std::string_view("\n;|&()`>").find(c) != std::string_view::npos) {
      if (c == '(' || c == ')') {
        commands.push_back({std::string(1, c)});
      }
      commands.push_back(c == '>' ? Words{">"} : Words{});
    }
  }
  return commands;
}

// One spelling of a path: "a/../b.py" and "./b.py" are "b.py".
std::string place_of(const fs::path& folder, const std::string& word) {
  return (folder / word).lexically_normal().string();
}

// Adds the first script of a command's words and, unless commands before it may have made them, the
// first configuration file and the program.
// - folder: where the command runs, in the working folder.
// - earlier: the words of the commands before it, by place_of().
void add_first(const LaunchCommand& command,
               const Words& words,
               const fs::path& folder,
               const std::set<std::string>& earlier,
               Words& named) {
  const auto first = [&](const Words& of, const auto& is_kind) {
    const auto found = std::ranges::find_if(of, [&](const std::string& word) {
      return is_kind(word) && !earlier.contains(place_of(folder, word));
    });
    if (found != of.end()) {
      named.push_back((folder / *found).string());
    }
  };
  const Words values = read_values(words);
  first(values, is_script);
  if (!earlier.empty()) {
    return;
  }
  if (command.setup.empty()) {
    first(values, is_config);
  }
  const auto program = std::ranges::find_if(
      words, [](const std::string& word) { return word.find('=') == std::string::npos; });
  if (program != words.end()) {
    first(Words(program, is_starter(*program) ? words.end() : std::next(program)),
          [&](const std::string& word) {
            return word.find('/') != std::string::npos &&
                   is_executable(command.working_folder / folder / word);
          });
  }
}

bool is_text(const std::string& argument) {
  return argument.find_first_of(" \n") != std::string::npos;
}

// The folder that a command changes to, as of "cd -P sub", "if cd sub" and `sh -c "cd sub"`.
std::optional<std::string> folder_after(const Words& words) {
  static const std::set<std::string> kBefore{"if", "then", "else", "do", "{", "!", "sh", "bash"};
  const auto is_option = [](const std::string& word) {
    return word.starts_with('-') && word != "-";
  };
  auto word = std::ranges::find_if(
      words, [&](const std::string& one) { return !kBefore.contains(one) && !is_option(one); });
  if (word == words.end() || *word != "cd") {
    return std::nullopt;
  }
  word = std::find_if_not(std::next(word), words.end(), is_option);
  return word == words.end() ? std::nullopt : std::optional(*word);
}

// Adds what the commands in a line of shell name.
void add_in_shell(const LaunchCommand& command, const std::string& text, Words& named) {
  std::vector<fs::path> outer;  // folders to return to at )
  fs::path folder;
  fs::path last;
  std::set<std::string> earlier;
  for (const Words& words : shell_commands(text)) {
    if (words == Words{"("}) {
      outer.push_back(folder);
    } else if (words == Words{")"}) {
      folder = outer.empty() ? folder : outer.back();
      outer.resize(outer.empty() ? 0 : outer.size() - 1);
    } else if (const std::optional<std::string> next = folder_after(words)) {
      const fs::path from = folder;
      folder = *next == "-" ? last : folder / *next;
      last = from;
    } else if (!words.empty()) {
      if (words.front() != ">") {
        add_first(command, words, folder, earlier, named);
      }
      if (!makes_nothing(words.front())) {
        std::ranges::transform(words,
                               std::inserter(earlier, earlier.end()),
                               [&](const std::string& word) { return place_of(folder, word); });
      }
    }
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
  Words words;
  for (const std::string& argument : command.argv) {
    if (is_text(argument)) {
      add_in_shell(command, argument, named);
    } else {
      words.push_back(argument);
    }
  }
  add_first(command, words, "", {}, named);
  Words once{command.argv.front()};
  std::ranges::copy_if(named, std::back_inserter(once), [&](const std::string& name) {
    std::error_code error;
    return std::ranges::find(once, name) == once.end() &&
           fs::is_regular_file(named_file(command, name), error);
  });
  return once;
}

}  // namespace scalestudy
