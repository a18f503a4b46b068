#include "harness/report/files/citation.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "harness/text/yaml_text.h"

namespace scalestudy::report {

std::string day_of(const std::string& time) {
  constexpr std::string_view pattern = "0000-00-00T";
  const bool is_time =
      time.size() > pattern.size() &&
      std::equal(pattern.begin(), pattern.end(), time.begin(), [](char wanted, char c) {
        return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
      });
  return is_time ? time.substr(0, pattern.size() - 1) : "";
}

std::string citation(const ReportInput& input) {
  std::string last;
  std::string version;
  for (const SessionInput& session : input.sessions) {
    if (session.row.started_at >= last) {
      last = session.row.started_at;
      version = session.row.tool_version;
    }
  }
  const std::string& title = input.study.title.empty() ? input.study.name : input.study.title;
  std::string text = fmt::format(
      "cff-version: 1.2.0\n"
      "message: If you use these results, please cite them as below.\n"
      "type: dataset\n"
      "title: {}\n"
      "authors:  # fill in: the store does not know whose study this is\n"
      "  - name: {}\n"
      "identifiers:\n"
      "  - type: other\n"
      "    value: {}\n"
      "    description: hash of the study's content\n",
      yaml_text(title),
      yaml_text("The authors of the study " + input.study.name),
      yaml_text("scalestudy:" + input.study.hash));
  if (const std::string day = day_of(last); !day.empty()) {
    text += fmt::format("date-released: {}\n", day);
    text += fmt::format(
        "references:\n  - type: software\n    title: scalestudy\n    version: {}\n    authors:\n"
        "      - name: The scalestudy authors\n",
        yaml_text(version));
  }
  return text;
}

}  // namespace scalestudy::report
