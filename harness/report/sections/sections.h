// The sections of a report: each has the tags it offers to templates, and fills them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/figures/figures.h"
#include "harness/report/input/input.h"
#include "harness/report/template/tags.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// A part of the report: the tags that it offers, and the function that sets their values.
struct Section {
  Tags tags;
  std::function<void(View& view, const ReportInput& input, const FigurePaths& figures)> fill;
};

// All sections, in the order in which templates/README.md lists their tags.
const std::vector<Section>& report_sections();

// The tags that a study's template may use: those of all sections, and `query`.
std::span<const TagInfo> template_tags();

// The values of the tags of all sections.
View build_view(const ReportInput& input, const FigurePaths& figures);

// Each section is in the file of its name, in a folder below this one.
Section study_section(), methods_section(), answer_section(), results_section(), speedups_section(),
    overheads_section(), phases_section(), communication_section(), messages_section(),
    metrics_section(), overview_section(), settings_section(), sides_section(), usage_section(),
    memory_section(), costs_section(), energies_section(), cost_parts_section(), missing_section(),
    targets_section(), epochs_section(), thresholds_section(), laws_section(), projection_section(),
    published_section(), precision_section(), outliers_section(), trials_section(),
    threats_section(), environment_section(), search_section(), devices_section(), pairs_section(),
    bands_section(), lint_section(), recovery_section();

}  // namespace scalestudy::report
