// The list of tags a study's template may use: checked against every template before it is
// rendered, against the view by a test, and printed in templates/README.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy::report {

enum class TagKind {
  kText,   // {{name}}; {{#name}} and {{^name}} ask whether there is one
  kFlag,   // {{#name}}, {{^name}}
  kList,   // {{#name}} ... {{/name}} once for every row; {{#has_name}} once when there are rows
  kTable,  // {{#name}}{{> table}}{{/name}}: a list of tables (table.h)
  kSql,    // {{#query}}SELECT ...{{/query}}
};

struct TagInfo {
  std::string path;  // "results.rows.step_time": a tag inside two lists
  TagKind kind;
  std::string meaning;  // one phrase; "" of what every table has
};

using Tags = std::vector<TagInfo>;

inline Tags operator+(Tags tags, const Tags& more) {
  tags.insert(tags.end(), more.begin(), more.end());
  return tags;
}

// The tag among `tags` that `name` means inside the given open lists ("", "groups",
// "groups.results", outermost first), nullptr for none; "has_x" of a list x is that list's tag.
const TagInfo* find_tag(std::span<const TagInfo> tags,
                        const std::vector<std::string>& scopes,
                        std::string_view name);

// Names that can be used there, for suggestions.
std::vector<std::string> visible_tags(std::span<const TagInfo> tags,
                                      const std::vector<std::string>& scopes);

// Tags as a Markdown table, for templates/README.md.
std::string format_tag_list(std::span<const TagInfo> tags);

}  // namespace scalestudy::report
