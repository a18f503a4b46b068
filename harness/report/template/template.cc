// Hands view and template to kainjow's mustache.
#include "harness/report/template/template.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include <kainjow/mustache.hpp>

#include "harness/base/error.h"
#include "harness/report/template/markdown.h"
#include "harness/report/template/template_source.h"

namespace scalestudy::report {
namespace {

namespace mustache = kainjow::mustache;

mustache::data to_data(const View& view) {
  mustache::data object(mustache::data::type::object);
  for (const auto& [name, value] : view.values()) {
    if (const auto* flag = std::get_if<bool>(&value)) {
      object.set(name, mustache::data(*flag));
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      object.set(name, mustache::data(*text));
    } else {
      mustache::data list(mustache::data::type::list);
      for (const View& row : std::get<View::List>(value)) {
        list.push_back(to_data(row));
      }
      object.set(name, list);
    }
  }
  return object;
}

// The text that a template makes. Lists inside lists multiply: what would not end is refused.
class Output {
 public:
  Output(const std::filesystem::path& main, const TemplateSource& source)
      : main_(main.string()), longest_line_(longest_line(source.main)) {
    for (const auto& [name, text] : source.partials) {
      longest_line_ = std::max(longest_line_, longest_line(text));
    }
  }

  // A tag is looked up, or a section begins: what the line in work may grow by.
  void count_step(std::size_t value_bytes = 0) {
    line_bytes_ += value_bytes + longest_line_;
    require(++steps_ <= kMostSteps && line_bytes_ <= kMostLineBytes);
  }

  // As the library gives it lines.
  Output& operator<<(const std::string& text) {
    line_bytes_ = 0;
    text_ += text;
    require(text_.size() <= kMostBytes);
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kMostSteps = 100'000'000;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
  static constexpr std::size_t kMostLineBytes = std::size_t{1} << 30U;

  static std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      longest = std::max(longest, end - begin);
      begin = end + 1;
    }
    return longest;
  }

  void require(bool fits) const {
    if (!fits) {
      throw Error(ErrorKind::kUsage,
                  main_ + ": makes more than 256 MiB of text; lists inside lists multiply");
    }
  }

  std::string main_;
  std::size_t longest_line_ = 0;
  std::string text_;
  std::size_t steps_ = 0;
  std::size_t line_bytes_ = 0;  // at most, of the line in work
};

// A documented tag without a value is a defect of the view, not of the template.
class StrictContext final : public mustache::context<std::string> {
 public:
  StrictContext(const mustache::data* data, const TemplateSource& source, Output& output)
      : output_(output) {
    context::push(data);
    for (const auto& [name, text] : source.partials) {
      partials_.emplace(name, mustache::data(text));
    }
  }

  void push(const mustache::data* data) override {
    output_.count_step();
    context::push(data);
  }

  const mustache::data* get(const std::string& name) const override {
    const mustache::data* found = context::get(name);
    if (found == nullptr) {
      throw std::logic_error("the view has no value for the tag " + name);
    }
    output_.count_step(found->is_string() ? found->string_value().size() : 0);
    return found;
  }

  const mustache::data* get_partial(const std::string& name) const override {
    return &partials_.at(name);
  }

 private:
  Output& output_;
  std::map<std::string, mustache::data> partials_;
};

}  // namespace

std::string render_template(const std::filesystem::path& main,
                            const std::vector<std::filesystem::path>& partial_folders,
                            const View& view,
                            const RunQuery& run_query,
                            std::span<const TagInfo> tags) {
  const TemplateSource source = load_template(main, partial_folders, tags);
  mustache::data data = to_data(view);
  const mustache::lambda2 query = [&](const std::string& sql, const mustache::renderer&) {
    try {
      return run_query(sql);
    } catch (const Error& error) {
      throw Error(error.kind(), source.query_places.at(sql) + ": " + error.what());
    }
  };
  data.set("query", mustache::data(query));
  mustache::mustache compiled(source.main);
  compiled.set_custom_escape(escape_markdown);
  Output output(main, source);
  StrictContext context(&data, source, output);
  compiled.render(context, output);
  if (!compiled.is_valid()) {
    throw Error(ErrorKind::kUsage, main.string() + ": " + compiled.error_message());
  }
  return tidy_markdown(output.text());
}

}  // namespace scalestudy::report
