// Look-up in the table of tags.
#include "harness/report/template/tags.h"

namespace scalestudy::report {
namespace {

using enum TagKind;

std::string_view kind_name(TagKind kind) {
  switch (kind) {
    case kText:
      return "text";
    case kFlag:
      return "flag";
    case kList:
      return "list";
    case kTable:
      return "tables";
    case kSql:
      return "SQL";
  }
  return "";
}

bool is_list(const TagInfo& tag) {
  return tag.kind == kList || tag.kind == kTable;
}

const TagInfo* find_path(std::span<const TagInfo> tags, std::string_view path) {
  for (const TagInfo& tag : tags) {
    if (tag.path == path) {
      return &tag;
    }
  }
  return nullptr;
}

std::string path_in(const std::string& scope, std::string_view name) {
  return scope.empty() ? std::string(name) : scope + "." + std::string(name);
}

}  // namespace

const TagInfo* find_tag(std::span<const TagInfo> tags,
                        const std::vector<std::string>& scopes,
                        std::string_view name) {
  if (name.find('.') != std::string_view::npos) {
    return nullptr;  // what is inside a list is named where the list is open
  }
  // NOLINTNEXTLINE(modernize-loop-convert): needs views, which clang 14 cannot parse
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (const TagInfo* tag = find_path(tags, path_in(*scope, name))) {
      return tag;
    }
    if (name.starts_with("has_")) {
      const TagInfo* list = find_path(tags, path_in(*scope, name.substr(4)));
      if (list != nullptr && is_list(*list)) {
        return list;
      }
    }
  }
  return nullptr;
}

std::vector<std::string> visible_tags(std::span<const TagInfo> tags,
                                      const std::vector<std::string>& scopes) {
  std::vector<std::string> names;
  for (const std::string& scope : scopes) {
    const std::string prefix = scope.empty() ? "" : scope + ".";
    for (const TagInfo& tag : tags) {
      if (!tag.path.starts_with(prefix)) {
        continue;
      }
      const std::string rest = tag.path.substr(prefix.size());
      if (rest.find('.') == std::string::npos) {
        names.push_back(rest);
        if (is_list(tag)) {
          names.push_back("has_" + rest);
        }
      }
    }
  }
  return names;
}

std::string format_tag_list(std::span<const TagInfo> tags) {
  std::string text = "| tag | kind | meaning |\n| --- | --- | --- |\n";
  for (const TagInfo& tag : tags) {
    if (!tag.meaning.empty()) {
      text += "| `" + tag.path + "` | " + std::string(kind_name(tag.kind)) + " | " + tag.meaning +
              " |\n";
    }
  }
  return text;
}

}  // namespace scalestudy::report
