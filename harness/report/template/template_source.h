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

// One {{tag}} of a template, with where it stands.
struct TagUse {
  char kind =
      ' ';  // ' ' variable, '#', '^', '/', '>', '=', '?' for one without its "}}"; no comments
  std::string name;
  std::size_t offset = 0;  // of "{{"
  std::size_t end = 0;     // after "}}"
};

// Tags in file order, up to the first that is not closed.
std::vector<TagUse> scan_tags(const std::string& text);

struct TemplateSource {
  std::string main;
  std::map<std::string, std::string> partials;  // text by name
  std::map<std::string, std::string>
      query_places;  // "file:line:col" by the text of a query section
};

// Reads the main template and every partial it includes, and checks their tags.
// Throws Error{kUsage}: see render_template.
TemplateSource load_template(const std::filesystem::path& main,
                             const std::vector<std::filesystem::path>& partial_folders,
                             std::span<const TagInfo> tags);

}  // namespace scalestudy::report
