#include "harness/report/sections/sections.h"

#include <utility>

namespace scalestudy::report {

std::span<const TagInfo> template_tags() {
  static const Tags kTags = [] {
    Tags tags = {{"query",
                  TagKind::kSql,
                  "the rows of a reading SQL statement as a table; `:study` is this study's name, "
                  "and texts have single quotes"}};
    for (const Section& section : report_sections()) {
      tags = std::move(tags) + section.tags;
    }
    return tags;
  }();
  return kTags;
}

View build_view(const ReportInput& input, const Figures& figures) {
  View view;
  for (const Section& section : report_sections()) {
    section.fill(view, input, figures);
  }
  return view;
}

}  // namespace scalestudy::report
