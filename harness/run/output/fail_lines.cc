#include "harness/run/output/fail_lines.h"

#include <functional>
#include <memory>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/output/output_text.h"

namespace scalestudy {
namespace {

// What hardly any program prints when all is well. A rank may be named before a Traceback:
// "[rank0]: ".
constexpr const char* kUsual =
    "^(?:[\\[(][^\\])]{1,80}[\\])]:? *)*Traceback \\(most recent call "
    "last\\)|OutOfMemoryError|CUDA out of memory|Segmentation fault|"
    "[\"']status[\"'] *: *[\"'](?i:error|failed|failure)[\"']";

using Patterns = std::vector<std::unique_ptr<re2::RE2>>;

// What of a line reports an error is added to `found`.
// - place: gives "stdout line 3"
void search_line(const std::string& line,
                 const std::function<std::string()>& place,
                 const Patterns& patterns,
                 FailLines& found) {
  static const re2::RE2 kUsualLine(kUsual);
  for (const auto& pattern : patterns) {
    if (found.declared.empty() && pattern->ok() && re2::RE2::PartialMatch(line, *pattern)) {
      found.declared = fmt::format("{} matches \"{}\": {}", place(), pattern->pattern(), line);
    }
  }
  if (re2::RE2::PartialMatch(line, kUsualLine)) {
    found.usual = found.usual.empty() ? place() + ": " + line : found.usual;
    ++found.count;
  }
}

// "stdout has lines of more than 1 MiB: 2 from line 7 on"; "" if all was read.
std::string tell_unread(const Unread& unread, const std::string& noun) {
  return unread.is_utf16 ? noun + " is UTF-16"
         : unread.long_lines == 0
             ? ""
             : fmt::format("{} has lines of more than 1 MiB: {} from line {} on",
                           noun,
                           unread.long_lines,
                           unread.first_long_line);
}

}  // namespace

FailLines find_fail_lines(std::istream& out,
                          std::istream& err,
                          const std::vector<std::string>& fail_if,
                          bool is_log) {
  Patterns patterns;
  for (const std::string& pattern : fail_if) {
    patterns.push_back(std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet));
  }
  FailLines found;
  const auto search = [&](std::istream& stream, const std::string& name) {
    const Unread unread = for_each_line(stream, [&](const std::string& line, std::size_t number) {
      search_line(
          line, [&] { return fmt::format("{} line {}", name, number); }, patterns, found);
    });
    found.unread =
        found.unread.empty() ? tell_unread(unread, (is_log ? "the " : "") + name) : found.unread;
  };
  search(out, is_log ? "log" : "stdout");
  if (!is_log) {
    search(err, "stderr");
  }
  return found;
}

}  // namespace scalestudy
