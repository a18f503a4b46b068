#include "harness/import/runs/find_runs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/base/error.h"
#include "harness/import/runs/run_table.h"
#include "harness/run/output/output_text.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// RE2 of Debian 12 knows named groups as (?P<name>...) alone.
std::string with_named_groups(std::string pattern) {
  for (std::size_t at = 0; (at = pattern.find("(?<", at)) != std::string::npos; at += 3) {
    if (at + 3 < pattern.size() && pattern[at + 3] != '=' && pattern[at + 3] != '!') {
      pattern.insert(at + 2, "P");
    }
  }
  return pattern;
}

class Separator {
 public:
  explicit Separator(const std::string& pattern)
      : regex_(with_named_groups(pattern), re2::RE2::Quiet),
        groups_(static_cast<std::size_t>(std::max(regex_.NumberOfCapturingGroups(), 0)) + 1) {
    if (!regex_.ok()) {
      throw Error(ErrorKind::kUsage, fmt::format("--separator '{}': {}", pattern, regex_.error()));
    }
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, group] : regex_.NamedCapturingGroups()) {
      names.push_back(name);
    }
    return names;
  }

  // The values that a line which begins a run gives; absent for any other line.
  std::optional<NamedTexts> find(const std::string& line) {
    if (!regex_.Match(line,
                      0,
                      line.size(),
                      re2::RE2::UNANCHORED,
                      groups_.data(),
                      static_cast<int>(groups_.size()))) {
      return std::nullopt;
    }
    NamedTexts values;
    for (const auto& [name, group] : regex_.NamedCapturingGroups()) {
      const re2::StringPiece& text = groups_.at(static_cast<std::size_t>(group));
      if (text.data() != nullptr) {
        values.emplace(name, std::string(text.data(), text.size()));
      }
    }
    return values;
  }

 private:
  re2::RE2 regex_;
  std::vector<re2::StringPiece> groups_;
};

// "logs/ has a.log, b.log and 3 more": what is in the deepest folder of the pattern that is there.
std::string what_is_there(const std::string& from) {
  fs::path folder = fs::path(from).parent_path();
  std::error_code error;
  while (!folder.empty() && folder.has_relative_path() && !fs::is_directory(folder, error)) {
    folder = folder.parent_path();
  }
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), none;
       !error && entry != none;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return fmt::format("{} has {}",
                     folder.empty() ? "this folder" : folder.string() + "/",
                     names.empty() ? "nothing" : list_some(names));
}

// Gives the run the values of the line that begins it.
// - named: those of the file's name, which it must not contradict.
void take_values(const NamedTexts& values,
                 const NamedTexts& named,
                 const CellFinder& finder,
                 FoundRun& run,
                 std::vector<std::string>& problems) {
  for (const auto& [name, text] : values) {
    if (finder.has(name) && !finder.has_value(name, text)) {
      problems.push_back(fmt::format("{}: {} {} is not in the study, which has {}",
                                     run.source,
                                     name,
                                     text,
                                     finder.allowed(name)));
    }
    if (const auto other = named.find(name);
        other != named.end() && !same_value(other->second, text)) {
      problems.push_back(
          fmt::format("{}: {} is {} in its first line, and {} in the name of its file",
                      run.source,
                      name,
                      text,
                      other->second));
    }
    run.values.insert_or_assign(name, text);
  }
}

// Runs of one file, each from a line that the separator finds to the next.
void split_file(FoundRun whole, Separator& separator, const CellFinder& finder, FoundRuns& found) {
  const std::size_t others = found.runs.size();
  std::int64_t before = 0;  // lines of no run
  std::ifstream file(whole.path, std::ios::binary);
  std::size_t last = 0;
  const auto use = [&](const std::string& line, std::size_t number, std::int64_t offset) {
    if (line.empty() && number == last) {  // between "\r" and "\n"
      return;
    }
    last = number;
    const std::size_t runs = found.runs.size() - others;
    if (std::optional<NamedTexts> values = separator.find(line)) {
      if (runs > 0) {
        found.runs.back().size = offset - found.runs.back().offset;
      }
      FoundRun& run = found.runs.emplace_back(whole);
      run.part = fmt::format("#{}", runs + 1);
      run.source += run.part;
      run.offset = offset;
      run.size = whole.size - offset;
      take_values(*values, whole.values, finder, run, found.problems);
    } else if (runs == 0 && line.find_first_not_of(" \t") != std::string::npos) {
      ++before;
    }
  };
  const Unread unread = for_each_line_at(file, use);
  if (!unread.problem.empty()) {
    found.problems.push_back(whole.source + ": it " + unread.problem);
  } else if (found.runs.size() == others) {
    found.problems.push_back(
        whole.source + (unread.is_utf16 ? ": it is UTF-16; convert it with iconv -f UTF-16 -t UTF-8"
                                        : ": no line of it begins a run by --separator"));
  } else if (before > 0) {
    found.notes.push_back(fmt::format("{}: {} before the first run {} left out",
                                      whole.source,
                                      format_count(before, "line"),
                                      before == 1 ? "is" : "are"));
  }
}

}  // namespace

std::string describe_values(const NamedTexts& values) {
  std::vector<std::string> texts;
  for (const auto& [name, text] : values) {
    texts.push_back(name + " " + text);
  }
  return join(texts, ", ");
}

ReadName read_name(const RunPattern& pattern, const std::string& text, const CellFinder& finder) {
  const std::vector<NamedTexts> readings =
      pattern.readings(text, [&](const std::string& name, const std::string& value) {
        return !finder.has(name) || finder.has_value(name, value);
      });
  if (readings.size() == 1) {
    return {.values = readings.front(), .problem = ""};
  }
  if (readings.size() > 1) {
    return {.values = {},
            .problem = fmt::format("its name can be read as {} and as {}",
                                   describe_values(readings[0]),
                                   describe_values(readings[1]))};
  }
  // What the study lacks is most likely a number.
  std::vector<NamedTexts> others =
      pattern.readings(text, [&](const std::string& name, const std::string& value) {
        return !finder.has(name) || finder.has_value(name, value) ||
               (std::isdigit(static_cast<unsigned char>(value.front())) != 0 &&
                parse_number(value).has_value());
      });
  if (others.empty()) {
    others = pattern.readings(text, [](const std::string&, const std::string&) { return true; });
  }
  if (others.empty()) {
    return {.values = {},
            .problem =
                "a number in its name would have to be divided between two values; rename "
                "it so that another character is between them, such as - or _"};
  }
  ReadName read;
  for (const auto& [name, value] : others.front()) {
    if (finder.has(name) && !finder.has_value(name, value)) {
      const std::size_t point = value.find_first_of(".,");
      read.problem =
          fmt::format(
              "{} {} is not in the study, which has {}", name, value, finder.allowed(name)) +
          (point == std::string::npos
               ? ""
               : fmt::format(". If it ends at the \"{0}\", write {{{1}}}{0} into the pattern",
                             value[point],
                             name));
    }
  }
  return read;
}

void require_known_name(const std::string& name,
                        const std::string& where,
                        const RunsRequest& request,
                        const CellFinder& finder) {
  if (finder.has(name) || name == "run" || name == "block" || name == request.order) {
    return;
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{}: \"{}\" is not an axis of the study. Its axes: {}. Name a run by run, or "
                  "by block if runs of one number ran together",
                  where,
                  name,
                  finder.axes()));
}

FoundRuns find_runs(const RunsRequest& request, const CellFinder& finder, const Steps& steps) {
  const RunPattern pattern(request.from, "--from");
  if (request.from.find("**") != std::string::npos) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--from {}: * stands for text within a name, not for folders; write "
                            "one * for each folder: logs/*/*.log",
                            request.from));
  }
  std::vector<std::string> names = pattern.names();
  for (const std::string& name : names) {
    require_known_name(name, "--from", request, finder);
  }
  std::unique_ptr<Separator> separator;
  if (!request.separator.empty()) {
    separator = std::make_unique<Separator>(request.separator);
    for (const std::string& name : separator->names()) {
      require_known_name(name, "--separator", request, finder);
    }
  }
  const std::vector<std::string> paths = matching_files(request.from);
  if (paths.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "--from {}: no file has such a name; {}", request.from, what_is_there(request.from)));
  }
  FoundRuns found;
  for (const std::string& path : paths) {
    ReadName read = read_name(pattern, path, finder);
    if (!read.problem.empty()) {
      found.problems.push_back(path + ": " + read.problem);
      continue;
    }
    std::error_code error;
    FoundRun run{.source = fs::path(path).lexically_normal().string(),  // "./a.log" is a.log
                 .values = std::move(read.values),
                 .path = path,
                 .size = static_cast<std::int64_t>(fs::file_size(path, error))};
    if (!request.column_map.empty()) {
      read_table(run, request, finder, steps, found);
    } else if (separator) {
      split_file(std::move(run), *separator, finder, found);
    } else {
      found.runs.push_back(std::move(run));
    }
  }
  return found;
}

std::string text_of(const FoundRun& run) {
  if (run.record) {
    return run.table;
  }
  std::ifstream file(run.path, std::ios::binary);
  std::string text(static_cast<std::size_t>(run.size), '\0');
  file.seekg(run.offset);
  if (!file.read(text.data(), run.size)) {
    throw Error(ErrorKind::kUsage,
                run.path + ": cannot be read, or became shorter while it was read");
  }
  return text;
}

}  // namespace scalestudy
