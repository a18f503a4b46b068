#include "harness/report/citation.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/yaml_text.h"

namespace scalestudy::report {
std::string citation(const ReportInput& input) {
  constexpr std::size_t date_length = 10;  // of "2026-11-21T10:16:32Z"
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
  if (!last.empty()) {
    text += fmt::format("date-released: {}\n", last.substr(0, date_length));
    text += fmt::format(
        "references:\n  - type: software\n    title: scalestudy\n    version: {}\n    authors:\n"
        "      - name: The scalestudy authors\n",
        yaml_text(version));
  }
  return text;
}

}  // namespace scalestudy::report
