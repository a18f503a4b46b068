// Sets and reads the names of a view.
#include "harness/report/template/view.h"

#include <utility>

namespace scalestudy::report {
namespace {

template <typename T>
T value_of(const View& view, const std::string& name) {
  const auto found = view.values().find(name);
  const T* value = found == view.values().end() ? nullptr : std::get_if<T>(&found->second);
  return value == nullptr ? T() : *value;
}

}  // namespace

void View::set_text(const std::string& name, std::string text) {
  if (text.empty()) {
    values_[name] = false;
  } else {
    values_[name] = std::move(text);
  }
}

void View::set_flag(const std::string& name, bool flag) {
  values_[name] = flag;
}

void View::set_list(const std::string& name, List rows) {
  values_["has_" + name] = !rows.empty();
  values_[name] = std::move(rows);
}

void View::change_texts(const std::function<std::string(const std::string&)>& changed) {
  for (auto& [name, value] : values_) {
    if (auto* text = std::get_if<std::string>(&value)) {
      *text = changed(*text);
    } else if (auto* list = std::get_if<List>(&value)) {
      for (View& row : *list) {
        row.change_texts(changed);
      }
    }
  }
}

std::string text_of(const View& view, const std::string& name) {
  return value_of<std::string>(view, name);
}

View::List list_of(const View& view, const std::string& name) {
  return value_of<View::List>(view, name);
}

}  // namespace scalestudy::report
