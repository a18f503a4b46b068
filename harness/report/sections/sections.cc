#include "harness/report/sections/sections.h"

#include <utility>

namespace scalestudy::report {

const std::vector<Section>& report_sections() {
  static const std::vector<Section> kSections = {
      study_section(),      methods_section(),   answer_section(),     search_section(),
      results_section(),    speedups_section(),  bands_section(),      metrics_section(),
      epochs_section(),     overheads_section(), phases_section(),     communication_section(),
      devices_section(),    messages_section(),  pairs_section(),      overview_section(),
      settings_section(),   sides_section(),     usage_section(),      memory_section(),
      recovery_section(),   costs_section(),     energies_section(),   cost_parts_section(),
      missing_section(),    targets_section(),   thresholds_section(), laws_section(),
      projection_section(), published_section(), precision_section(),  outliers_section(),
      trials_section(),     threats_section(),   lint_section(),       environment_section()};
  return kSections;
}

std::span<const TagInfo> template_tags() {
  static const Tags kTags = [] {
    Tags tags = {{"query",
                  TagKind::kSql,
                  "the rows of a reading SQL statement as a table; `:study` is this study's name"}};
    for (const Section& section : report_sections()) {
      tags = std::move(tags) + section.tags;
    }
    return tags;
  }();
  return kTags;
}

View build_view(const ReportInput& input, const FigurePaths& figures) {
  View view;
  for (const Section& section : report_sections()) {
    section.fill(view, input, figures);
  }
  return view;
}

}  // namespace scalestudy::report
