// Checks and renders a template: mustache with a closed list of tags.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/template/tags.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// Answers the SQL of a {{#query}} section with Markdown. May throw Error, which render_template
// gives the place of the section.
using RunQuery = std::function<std::string(const std::string& sql)>;

// Renders `main` with partials NAME.md, each from the first of `partial_folders` that has it.
// Checks every tag against `tags` first, also in sections that will not be shown.
// - tags: the tags that the template may use: template_tags(), audit_tags().
// - throws: Error{kUsage} as "file:line:col: ..." for an unknown tag or partial, a template that
//   does not parse or cannot be read, partials that include each other for ever, and SQL that does
//   not run.
std::string render_template(const std::filesystem::path& main,
                            const std::vector<std::filesystem::path>& partial_folders,
                            const View& view,
                            const RunQuery& run_query,
                            std::span<const TagInfo> tags);

}  // namespace scalestudy::report
