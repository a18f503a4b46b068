// What a study may say and hardly means.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// A selection of cells that a study declares, and that selects none.
struct Unmatched {
  std::string section;    // "exclude", "analysis.targets", "cost.investments": a list
  std::size_t index = 0;  // in it
  std::string name = {};  // of the parameter whose value is in no cell
  std::string text;       // a sentence, with the values that there are
};

// Values that exclude rules and `where` of targets, investments and the like name, and that no cell
// has.
std::vector<Unmatched> unmatched_values(const Study& study, const Matrix& matrix);

// A sentence for an axis of a command that is called like a number of devices, where no `devices`
// says how many there are.
std::vector<std::string> unseen_devices(const Study& study);

}  // namespace scalestudy
