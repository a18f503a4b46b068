// Findings of an audit -> Markdown that can be sent to the author of the figures.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/audit/audit.h"
#include "harness/report/template/tags.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

struct AuditedDataset {
  audit::Dataset dataset;
  std::vector<audit::Finding> findings;
};

// The tags an audit template may use; listed in templates/README.md's manner in templates/audit.md.
std::span<const TagInfo> audit_tags();

View audit_view(const std::vector<AuditedDataset>& audited);

// Renders the template; partials are found in `partials` beside it.
// Throws Error{kUsage} as "file:line:col: ..." for an unknown tag and a template that does not
// parse or cannot be read.
std::string render_audit(const std::vector<AuditedDataset>& audited,
                         const std::filesystem::path& template_file);

}  // namespace scalestudy::report
