// Template files: read, taken apart into tags, and checked against the list of tags.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/report/template/tags.h"

namespace scalestudy::report {

// One {{tag}} of a template, with its place; comments are left out.
struct TagUse {
  // ' ' for a variable, else the tag's first character: '#', '^', '/', '>', '='; '?' for a tag
  // without its "}}".
  char kind = ' ';
  std::string name;
  std::size_t offset = 0;  // where "{{" begins in the text
  std::size_t end = 0;     // just after "}}"
};

// The tags of the text in their order, up to the first that is not closed.
std::vector<TagUse> scan_tags(const std::string& text);

// The texts of a template, checked.
struct TemplateSource {
  std::string main;                                 // text of the main template
  std::map<std::string, std::string> partials;      // texts of partials by name
  std::map<std::string, std::string> query_places;  // "file:line:col" by the SQL of a query section
};

// Reads the main template and every partial it includes, and checks their tags. Parameters and
// errors as of render_template().
TemplateSource load_template(const std::filesystem::path& main,
                             const std::vector<std::filesystem::path>& partial_folders,
                             std::span<const TagInfo> tags);

}  // namespace scalestudy::report
