// Tags that a template may use. Every template is checked against a list of them before it is
// rendered; a test compares the list with the view, and templates/README.md prints it.
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

// A tag, and what it means.
struct TagInfo {
  std::string path;  // "results.rows.step_time": a tag inside two lists
  TagKind kind;
  std::string meaning;  // one phrase; "" for tags that every table has
};

using Tags = std::vector<TagInfo>;

inline Tags operator+(Tags tags, const Tags& more) {
  tags.insert(tags.end(), more.begin(), more.end());
  return tags;
}

// The tag that `name` means inside the given open lists ("", "groups", "groups.results", outermost
// first); nullptr for none. "has_x" means the tag of the list x.
const TagInfo* find_tag(std::span<const TagInfo> tags,
                        const std::vector<std::string>& scopes,
                        std::string_view name);

// All names that a template can use inside the given open lists, for suggestions.
std::vector<std::string> visible_tags(std::span<const TagInfo> tags,
                                      const std::vector<std::string>& scopes);

// The tags as a Markdown table, for templates/README.md; without those of every table.
std::string format_tag_list(std::span<const TagInfo> tags);

}  // namespace scalestudy::report
