#include "harness/study/declared/varied_names.h"

namespace scalestudy {

std::set<std::string> varied_names(const Study& study) {
  std::set<std::string> names;
  for (const Axis& axis : study.axes) {
    names.insert(axis.name);
  }
  for (const auto* rows : {&study.zip, &study.include}) {
    for (const Parameters& row : *rows) {
      for (const auto& [name, value] : row) {
        names.insert(name);
      }
    }
  }
  if (!study.sides.empty()) {
    names.insert(kSideParameter);
  }
  return names;
}

}  // namespace scalestudy
