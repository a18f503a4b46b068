#include "harness/yaml/problem.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "harness/text/text.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMaxShownProblems = 50;
constexpr std::size_t kMaxLineBytes = 160;  // of the excerpt under a message

// Line `number` of the text, without its end.
std::string line_of(const std::string& text, int number) {
  std::size_t start = 0;
  for (int line = 1; line < number; ++line) {
    start = text.find('\n', start);
    if (start == std::string::npos) {
      return "";
    }
    ++start;
  }
  std::string line = text.substr(start, text.find('\n', start) - start);
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  return number == 1 && line.starts_with(byte_order_mark) ? line.substr(byte_order_mark.size())
                                                          : line;
}

bool is_utf8_tail(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The line with a caret under `column` (from 1, in bytes), cut to a window when it is long.
std::string excerpt(std::string line, int column) {
  auto at = std::min(static_cast<std::size_t>(std::max(column, 1) - 1), line.size());
  if (line.size() > kMaxLineBytes) {
    std::size_t start = at > kMaxLineBytes / 2 ? at - kMaxLineBytes / 2 : 0;
    while (start < at && is_utf8_tail(line[start])) {
      ++start;
    }
    line = line.substr(start, kMaxLineBytes);
    at -= start;
  }
  const bool is_readable = is_utf8(line);
  std::string shown;
  std::string pad;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const bool is_control = (byte < 0x20U && byte != '\t') || byte == 0x7FU;
    const bool is_foreign = byte >= 0x80U && !is_readable;
    shown += is_control || is_foreign ? '?' : line[i];
    if (i < at && (is_foreign || !is_utf8_tail(line[i]))) {
      pad += line[i] == '\t' ? '\t' : ' ';
    }
  }
  return "  " + shown + "\n  " + pad + "^";
}

}  // namespace

std::string format_problems(const std::vector<Problem>& problems,
                            const std::string& text,
                            const std::string& path) {
  std::vector<std::string> blocks;
  for (const Problem& problem : problems) {
    if (blocks.size() == kMaxShownProblems) {
      blocks.push_back(
          fmt::format("{}: and {} more problems", path, problems.size() - blocks.size()));
      break;
    }
    if (problem.line == 0) {
      blocks.push_back(fmt::format("{}: {}", path, problem.message));
      continue;
    }
    std::string message = problem.message;  // may quote a text of several lines
    std::ranges::replace(message, '\n', '?');
    blocks.push_back(fmt::format("{}:{}:{}: {}\n{}",
                                 path,
                                 problem.line,
                                 problem.column,
                                 message,
                                 excerpt(line_of(text, problem.line), problem.column)));
  }
  return join(blocks, "\n");
}

}  // namespace scalestudy
