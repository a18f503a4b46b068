// Hands view and template to kainjow's mustache.
#include "harness/report/template.h"

#include <stdexcept>
#include <variant>

#include <kainjow/mustache.hpp>

#include "harness/base/error.h"
#include "harness/report/markdown.h"
#include "harness/report/template_source.h"

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

// A documented tag without a value is a defect of the view, not of the template.
class StrictContext final : public mustache::context<std::string> {
 public:
  StrictContext(const mustache::data* data, const TemplateSource& source) {
    push(data);
    for (const auto& [name, text] : source.partials) {
      partials_.emplace(name, mustache::data(text));
    }
  }

  const mustache::data* get(const std::string& name) const override {
    const mustache::data* found = context::get(name);
    if (found == nullptr) {
      throw std::logic_error("the view has no value for the tag " + name);
    }
    return found;
  }

  const mustache::data* get_partial(const std::string& name) const override {
    return &partials_.at(name);
  }

 private:
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
  StrictContext context(&data, source);
  const std::string text = compiled.render(context);
  if (!compiled.is_valid()) {
    throw Error(ErrorKind::kUsage, main.string() + ": " + compiled.error_message());
  }
  return tidy_markdown(text);
}

}  // namespace scalestudy::report
