#include "harness/run/output/fail_lines.h"

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

}  // namespace

FailLines find_fail_lines(std::istream& out,
                          std::istream& err,
                          const std::vector<std::string>& fail_if,
                          bool is_log) {
  static const re2::RE2 kUsualLine(kUsual);
  std::vector<std::unique_ptr<re2::RE2>> patterns;
  for (const std::string& pattern : fail_if) {
    patterns.push_back(std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet));
  }
  FailLines found;
  const auto search = [&](std::istream& stream, const std::string& name) {
    const Unread unread = for_each_line(stream, [&](const std::string& line, std::size_t number) {
      for (const auto& pattern : patterns) {
        if (found.declared.empty() && pattern->ok() && re2::RE2::PartialMatch(line, *pattern)) {
          found.declared =
              fmt::format("{} line {} matches \"{}\": {}", name, number, pattern->pattern(), line);
        }
      }
      if (re2::RE2::PartialMatch(line, kUsualLine)) {
        found.usual =
            found.usual.empty() ? fmt::format("{} line {}: {}", name, number, line) : found.usual;
        ++found.count;
      }
    });
    if (found.unread.empty() && (unread.is_utf16 || unread.long_lines > 0)) {
      found.unread = unread.is_utf16
                         ? fmt::format("{}{} is UTF-16", is_log ? "the " : "", name)
                         : fmt::format("{}{} has lines of more than 1 MiB: {} from line {} on",
                                       is_log ? "the " : "",
                                       name,
                                       unread.long_lines,
                                       unread.first_long_line);
    }
  };
  search(out, is_log ? "log" : "stdout");
  if (!is_log) {
    search(err, "stderr");
  }
  return found;
}

}  // namespace scalestudy
