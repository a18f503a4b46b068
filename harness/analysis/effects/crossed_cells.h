// Which cells show one setting in several combinations of others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Two cells that differ in one parameter alone.
struct CellPair {
  const CellObservation* base = nullptr;      // has the baselines' value of it
  const CellObservation* cell = nullptr;      // has another one
  std::map<std::string, std::string> others;  // what else is varied, with the values of both
};

// One other value of a parameter, in several combinations of what else is varied.
struct CrossedCells {
  std::string axis;             // the parameter
  std::vector<CellPair> pairs;  // two or more; the base of the first is a baseline
};

// Makes one entry for each parameter that the study's baseline names (except devices, nodes, batch,
// model and message size) and each value of it that is not the baselines'. Its pairs make a claim
// (why_no_claim), and both cells of each have trials. They are the largest set that contains a
// baseline and in which one pair leads to the next by a change of one other parameter. A single
// pair makes no entry.
std::vector<CrossedCells> find_crossed_cells(const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy
