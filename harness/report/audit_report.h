// Renders the findings of an audit as Markdown that can be sent to the author of the figures.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/audit/audit.h"
#include "harness/report/template/tags.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// A dataset of published figures, and what an audit found in it.
struct AuditedDataset {
  audit::Dataset dataset;
  std::vector<audit::Finding> findings;
};

// The tags that the template of an audit may use; templates/README.md lists them.
std::span<const TagInfo> audit_tags();

// The values of these tags.
View audit_view(const std::vector<AuditedDataset>& audited);

// Renders the template; its partials are in the folder `partials` beside it. Throws Error{kUsage}
// as "file:line:col: ..." for an unknown tag and a template that does not parse or cannot be read.
std::string render_audit(const std::vector<AuditedDataset>& audited,
                         const std::filesystem::path& template_file);

}  // namespace scalestudy::report
