#include "harness/cli/run/against.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/read_file.h"
#include "harness/host/git_state.h"
#include "harness/run/command/checkouts.h"
#include "harness/study/parse.h"
#include "harness/text/json.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "prefix:";
constexpr std::size_t kShortHash = 8;
constexpr std::size_t kMostName = 64;  // characters of a study's name

bool is_variable(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return equals != std::string::npos && equals > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_letter);
}

// "NAME=VALUE" a line; empty lines and those that begin with # say nothing.
std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(path).value_or(""));
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (!is_variable(line)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--against {}: the line \"{}\" is not NAME=VALUE", path, line));
    }
    lines.push_back(line);
  }
  if (lines.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("--against {}: no variables in the file", path));
  }
  return lines;
}

// The side as the study file has it, and what its name ends in.
struct Other {
  JsonText side;
  std::string tag;  // lower-case letters, digits and -
  std::string words;
};

std::string tag_of(const std::string& kind, const std::string& text) {
  return kind + "-" + text_hash(text).substr(0, kShortHash);
}

Other of_variables(const std::vector<std::string>& against) {
  std::vector<std::string> all;
  for (const std::string& each : against) {
    if (is_variable(each)) {
      all.push_back(each);
    } else if (fs::is_regular_file(each)) {
      const std::vector<std::string> lines = lines_of(each);
      all.insert(all.end(), lines.begin(), lines.end());
    } else {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("--against {}: several are variables, NAME=VALUE, or files of them", each));
    }
  }
  Other other;
  for (const std::string& variable : all) {
    const std::size_t equals = variable.find('=');
    other.side["env"][variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  other.words = join(all, ", ");
  other.tag = tag_of("env", other.side.dump());
  return other;
}

Other of_prefix(const std::string& text) {
  std::istringstream words(text.substr(kPrefix.size()));
  Other other;
  other.words = text;
  for (std::string word; words >> word;) {
    other.side["prefix"].push_back(word);
  }
  if (other.side.members().empty()) {
    throw Error(ErrorKind::kUsage,
                "--against prefix: needs words, e.g. \"prefix: apptainer exec old.sif\"");
  }
  other.tag = tag_of("prefix", other.side.dump());
  return other;
}

// Files that git knows and that are not as in their commit; they are on the side "here" alone.
void tell_changes(const fs::path& repository, Terminal& terminal) {
  const GitAnswer status =
      run_git(repository, {"status", "--porcelain", "--untracked-files=no", "--ignore-submodules"});
  std::vector<std::string> files;
  std::istringstream lines(status.output);
  for (std::string line; std::getline(lines, line);) {
    files.push_back(line.size() > 3 ? line.substr(3) : line);
  }
  if (status.exit_code == 0 && !files.empty()) {
    terminal.note(fmt::format("side here has changes that are in no commit, and runs with them: {}",
                              list_some(files)));
  }
}

Other of_commit(const Study& study, const std::string& text, Terminal& terminal) {
  const fs::path repository = study_repository(study);
  const auto commit = find_commit(repository, text);
  if (!commit) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--against {}: no commit of {}, no file of variables, not NAME=VALUE "
                            "and not \"prefix: PROGRAM ARGUMENTS...\"",
                            text,
                            repository.string()));
  }
  tell_changes(repository, terminal);
  Other other;
  other.side["commit"] = *commit;
  other.tag = commit->substr(0, kShortHash);
  other.words = text == *commit ? other.tag : fmt::format("{} ({})", text, other.tag);
  return other;
}

Other find_other(const Study& study, const std::vector<std::string>& against, Terminal& terminal) {
  const std::string& first = against.front();
  if (against.size() > 1 || is_variable(first) || fs::is_regular_file(first)) {
    return of_variables(against);
  }
  return first.starts_with(kPrefix) ? of_prefix(first) : of_commit(study, first, terminal);
}

}  // namespace

Study study_against(const Study& of, const std::vector<std::string>& against, Terminal& terminal) {
  if (!of.sides.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} has sides of its own; --against makes two of a study without", of.name));
  }
  const Other other = find_other(of, against, terminal);
  if (const std::int64_t count = std::ssize(of.analysis.targets); count > 0) {
    terminal.note(fmt::format(
        "--against compares two versions; {} of {} {} not judged: `run` without it judges targets",
        format_count(count, "target"),
        of.name,
        count == 1 ? "is" : "are"));
  }
  JsonText side = JsonText::object({{"name", other.tag}});
  for (const auto& [name, value] : other.side.members()) {
    side[name] = value;
  }
  const std::string end = "-against-" + other.tag;
  const auto quoted = [](const std::string& text) { return JsonText(text).dump(); };
  std::vector<std::string> changes{
      "study=" + quoted(of.name.substr(0, kMostName - end.size()) + end),
      "title=" + quoted(fmt::format("{} Here against {}", of.title, other.words)),
      "sides=" + JsonText::list({side, JsonText::object({{"name", "here"}})}).dump(),
      "order.design=blocks"};
  for (const char* question : {"analysis.baseline",
                               "analysis.thresholds",
                               "analysis.laws",
                               "analysis.targets",
                               "controls"}) {
    changes.push_back(std::string(question) + "=null");
  }
  ParsedStudy parsed = parse_study(of.source_text, of.source_path, changes);
  if (!parsed.problems.empty()) {
    throw Error(ErrorKind::kUsage,
                format_problems(parsed.problems, of.source_text, "--against of " + of.source_path));
  }
  return std::move(parsed.study);
}

}  // namespace scalestudy
