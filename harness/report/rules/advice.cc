#include "harness/report/rules/advice.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// The words of links alone: the pages that they lead to are not beside a report.
std::string without_links(std::string text) {
  const std::string link = "](";
  for (std::size_t at = text.find(link); at != std::string::npos; at = text.find(link)) {
    text.erase(at, text.find(')', at) + 1 - at);
    text.erase(text.rfind('[', at), 1);
  }
  return text;
}

}  // namespace

std::string threat_heading(ThreatKind kind) {
  return with_capital(in_words(to_word(kind)));
}

std::string heading_of(const ThreatRow& threat) {
  return fmt::format("{}: {}",
                     threat.severity == Severity::kWarning ? "Warning" : "Note",
                     in_words(to_word(threat.kind)));
}

std::string anchor_of(const ThreatRow& threat) {
  std::string anchor = fmt::format("{}-{}", to_word(threat.severity), to_word(threat.kind));
  std::ranges::replace(anchor, '_', '-');
  return anchor;
}

std::map<std::string, std::string> read_advice(const std::string& page) {
  constexpr std::string_view mark = "## ";
  std::map<std::string, std::string> sections;
  std::string* section = nullptr;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) {
      section = &sections[line.substr(mark.size())];
    } else if (section != nullptr && !line.empty()) {
      *section += line + "\n";
    }
  }
  return sections;
}

std::string advice_on(ThreatKind kind) {
  static const std::map<std::string, std::string> sections =
      read_advice(read_file(shared_file("docs/how-to/warnings.md")).value_or(""));
  const auto section = sections.find(threat_heading(kind));
  return section == sections.end()
             ? ""
             : without_links(section->second.substr(section->second.find('\n') + 1));
}

}  // namespace scalestudy::report
