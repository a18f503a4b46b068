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
  std::function<void(View& view, const ReportInput& input, const Figures& figures)> fill;
};

// All sections: CMakeLists.txt makes this list from the names of their files. A NAME_section.cc in
// a folder below this one defines `Section NAME_section()`.
const std::vector<Section>& report_sections();

// The section of the answer, which the site shows of each report.
Section answer_section();

// The tags that a study's template may use: those of all sections, and `query`.
std::span<const TagInfo> template_tags();

// The values of the tags of all sections.
View build_view(const ReportInput& input, const Figures& figures);

}  // namespace scalestudy::report
