// Walks templates before they are rendered, so that an error names its line.
#include "harness/report/template/template_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/report/template/tags.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostNestedPartials = 20;
constexpr std::size_t kMostIncluded = 1000;  // each of 20 that includes the next twice: a million
constexpr std::size_t kMostOpenSections = 100;
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr char kUnclosed = '?';

[[noreturn]] void fail(const std::string& place, const std::string& message) {
  throw Error(ErrorKind::kUsage, place + ": " + message);
}

// Line ends of Windows would hide lines that must be alone, such as that of the details.
std::string without_carriage_returns(std::string text) {
  for (std::size_t at = text.find("\r\n"); at != std::string::npos; at = text.find("\r\n", at)) {
    text.erase(at, 1);
  }
  return text;
}

std::string read_template(const fs::path& path) {
  const std::optional<std::string> text = read_file(path);
  if (!text) {
    fail(path.string(), "cannot read this template");
  }
  if (text->size() > kMostBytes) {
    fail(path.string(), "longer than 1 MiB, which no template is");
  }
  return without_carriage_returns(*text);
}

// Places in a file, asked for from its begin to its end.
class Places {
 public:
  Places(const fs::path& file, const std::string& text) : file_(file.string()), text_(text) {}

  // "file:line:col", from 1.
  std::string at(std::size_t offset) {
    for (; at_ < offset; ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
    }
    return fmt::format("{}:{}:{}", file_, line_, offset - line_start_ + 1);
  }

 private:
  std::string file_;
  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

// Whether it stays below the folder that it is looked for in.
bool stays_inside(const fs::path& name) {
  return name.is_relative() &&
         std::ranges::none_of(name, [](const fs::path& part) { return part == ".."; });
}

// One walk over a main template and what it includes.
class Checker {
 public:
  Checker(std::vector<fs::path> folders, std::span<const TagInfo> tags, TemplateSource& source)
      : folders_(std::move(folders)), tags_(tags), source_(source) {}

  void check(const fs::path& file, const std::string& text) {
    std::vector<OpenSection> open;
    const std::vector<TagUse> uses = scan_tags(text);
    Places places(file, text);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const TagUse& use = uses[i];
      const std::string place = places.at(use.offset);
      if (use.kind == '/') {
        if (open.empty() || open.back().name != use.name) {
          fail(place, "{{/" + use.name + "}} closes no open section of that name");
        }
        scopes_.resize(open.back().scopes_before);
        --open_sections_;
        open.pop_back();
      } else if (use.kind == '>') {
        include(place, use.name);
      } else if (use.kind == kUnclosed) {
        fail(place, "this tag is never closed");
      } else {
        const TagInfo& tag = require_tag(place, use);
        if (use.kind == ' ') {
          require_text(place, use.name, tag);
        } else {
          open.push_back({use.name, scopes_.size(), place});
          open_section(place, use, tag);
        }
        if (tag.kind == TagKind::kSql) {
          check_query(place, text, uses, i);
        }
      }
    }
    if (!open.empty()) {
      fail(open.back().place, "section {{#" + open.back().name + "}} is never closed");
    }
  }

 private:
  struct OpenSection {
    std::string name;
    std::size_t scopes_before = 0;
    std::string place;
  };

  const TagInfo& require_tag(const std::string& place, const TagUse& use) const {
    if (use.kind == '=') {
      fail(place, "delimiters cannot be changed");
    }
    if (const TagInfo* tag = find_tag(tags_, scopes_, use.name)) {
      return *tag;
    }
    const std::string close = closest_match(use.name, visible_tags(tags_, scopes_));
    const std::string hint =
        close.empty() ? "see templates/README.md" : "did you mean " + close + "?";
    fail(place, "unknown tag {{" + use.name + "}}; " + hint);
  }

  // As a text, anything else would be nothing, and say nothing.
  static void require_text(const std::string& place, const std::string& name, const TagInfo& tag) {
    if (tag.kind == TagKind::kFlag || tag.kind == TagKind::kList || tag.kind == TagKind::kTable) {
      fail(place,
           fmt::format("{{{{{0}}}}} is not text; open it as a section: {{{{#{0}}}}}{1}{{{{/{0}}}}}",
                       name,
                       tag.kind == TagKind::kTable ? "{{> table}}" : "..."));
    }
  }

  void open_section(const std::string& place, const TagUse& use, const TagInfo& tag) {
    if (++open_sections_ > kMostOpenSections) {
      fail(place, fmt::format("more than {} sections are open", kMostOpenSections));
    }
    if (tag.kind == TagKind::kSql && use.kind != '#') {
      fail(place, "{{^query}} has no meaning; a query is {{#query}}SELECT ...{{/query}}");
    }
    const bool is_flag_of_list = use.name.starts_with("has_");
    const bool is_list = tag.kind == TagKind::kList || tag.kind == TagKind::kTable;
    if (is_list && use.kind == '#' && !is_flag_of_list) {
      scopes_.emplace_back(tag.path);
    }
  }

  // A query's text is SQL to its end: no tags inside.
  void check_query(const std::string& place,
                   const std::string& text,
                   const std::vector<TagUse>& uses,
                   std::size_t i) {
    if (uses[i].kind != '#') {
      fail(place, "a query is a section: {{#query}}SELECT ...{{/query}}");
    }
    if (i + 1 >= uses.size() || uses[i + 1].kind != '/' || uses[i + 1].name != "query") {
      fail(place, "{{#query}} needs SQL without tags and then {{/query}}");
    }
    source_.query_places.emplace(text.substr(uses[i].end, uses[i + 1].offset - uses[i].end), place);
  }

  void include(const std::string& place, const std::string& name) {
    if (depth_ >= kMostNestedPartials) {
      fail(place, "partials include each other without end: {{> " + name + "}}");
    }
    if (++included_ > kMostIncluded) {
      fail(place,
           fmt::format("more than {} partials are included: {{{{> {}}}}}", kMostIncluded, name));
    }
    if (!stays_inside(name)) {
      fail(place,
           "{{> " + name + "}}: a partial is a file of " + folder_names() + "; copy it there");
    }
    for (const fs::path& folder : folders_) {
      const fs::path file = folder / (name + ".md");
      std::error_code unnameable;  // e.g. longer than a file system allows
      if (fs::is_regular_file(file, unnameable)) {
        const std::string text = read_template(file);
        source_.partials[name] = text;
        check_included(place, file, text);
        return;
      }
    }
    const std::string close = closest_match(name, partial_names());
    fail(place,
         "unknown partial {{> " + name + "}}; " +
             (close.empty() ? "no " + name + ".md in " + folder_names()
                            : "did you mean " + close + "?"));
  }

  // What is wrong in a partial may be so only where it is included, which a few places tell.
  void check_included(const std::string& place, const fs::path& file, const std::string& text) {
    constexpr std::size_t most_places = 3;
    const std::size_t depth = depth_++;
    try {
      check(file, text);
    } catch (const Error& error) {
      throw depth < most_places
          ? Error(error.kind(), fmt::format("{} (included at {})", error.what(), place))
          : error;
    }
    --depth_;
  }

  std::vector<std::string> partial_names() const {
    std::vector<std::string> names;
    for (const fs::path& folder : folders_) {
      std::error_code ignored;
      for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == ".md") {
          names.push_back(entry.path().stem().string());
        }
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_names() const {
    std::vector<std::string> names;
    std::transform(
        folders_.begin(), folders_.end(), std::back_inserter(names), [](const fs::path& p) {
          return p.string();
        });
    return join(names, " or ");
  }

  std::vector<fs::path> folders_;
  std::span<const TagInfo> tags_;
  TemplateSource& source_;
  std::vector<std::string> scopes_ = {""};
  std::size_t open_sections_ = 0;
  std::size_t depth_ = 0;
  std::size_t included_ = 0;
};

}  // namespace

std::vector<TagUse> scan_tags(const std::string& text) {
  std::vector<TagUse> uses;
  std::size_t at = 0;
  while ((at = text.find("{{", at)) != std::string::npos) {
    const bool is_raw = text.compare(at, 3, "{{{") == 0;
    const std::string closing = is_raw ? "}}}" : "}}";
    const std::size_t start = at + closing.size();
    const std::size_t close = text.find(closing, start);
    TagUse use;
    use.offset = at;
    if (close == std::string::npos) {
      use.kind = kUnclosed;
      use.end = text.size();
      uses.push_back(std::move(use));
      break;
    }
    use.end = close + closing.size();
    std::string content(trimmed(text.substr(start, close - start)));
    if (!content.empty() && std::string("#^/>&!=").find(content[0]) != std::string::npos &&
        !is_raw) {
      use.kind = content[0] == '&' ? ' ' : content[0];
      content = std::string(trimmed(content.substr(1)));
    }
    use.name = content;
    at = use.end;
    if (use.kind != '!') {
      uses.push_back(std::move(use));
    }
  }
  return uses;
}

TemplateSource load_template(const fs::path& main,
                             const std::vector<fs::path>& partial_folders,
                             std::span<const TagInfo> tags) {
  TemplateSource source;
  source.main = read_template(main);
  Checker checker(partial_folders, tags, source);
  checker.check(main, source.main);
  return source;
}

}  // namespace scalestudy::report
