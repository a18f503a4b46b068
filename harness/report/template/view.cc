// Setters of the view.
#include "harness/report/template/view.h"

#include <utility>

namespace scalestudy::report {

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

void View::merge(const View& other) {
  for (const auto& [name, value] : other.values_) {
    values_[name] = value;
  }
}

}  // namespace scalestudy::report
