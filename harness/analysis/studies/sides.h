// Two sides that were not measured together: a study before and after a driver, here and on another
// machine.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"
#include "stats/ratio_interval.h"

namespace scalestudy {

// Some sessions of a stored study.
struct Side {
  StudyObservation observation;  // what_counts, of `sessions`
  Study study;
  std::vector<SessionRow> sessions;                       // not empty; in order of their ids
  std::vector<std::map<std::string, std::string>> facts;  // of each: its machine and software
};

// What is recorded of the machine and the software of a session, host and tool included.
std::map<std::string, std::string> session_facts(const Store& store, const SessionRow& session);

// `sessions` are of the study `row`.
Side observe_side(const Store& store, const StudyRow& row, std::vector<SessionRow> sessions);

// A fact that the sides do not share.
struct FactDifference {
  std::string name;
  std::set<std::string> a;  // empty where no session of the side tells it
  std::set<std::string> b;
};
std::vector<FactDifference> fact_differences(const Side& a, const Side& b);

// What differs between the studies as the last session of each side ran them, one line each, less
// how many trials there are and how they are judged.
std::vector<std::string> study_differences(const Side& a, const Side& b);

// One cell on both sides.
struct SideCell {
  CellRow cell;              // as of side b
  bool is_same = true;       // false: matched by what varies; other parameters differ
  std::size_t trials_a = 0;  // that count
  std::size_t trials_b = 0;
  std::size_t sessions_a = 0;  // that ran them
  std::size_t sessions_b = 0;
  std::optional<double> time_a_s;  // the mean of the sessions' mean step times
  std::optional<double> time_b_s;
  bool is_same_time = true;     // false: a step's time is not the same thing on both sides
                                // (StepTimeDefinition), so that there is no ratio
  std::optional<double> ratio;  // time_a_s / time_b_s: above 1, b is faster
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> p_adjusted;           // Holm over the cells
  bool is_attributable = false;               // kSessionsAsUnit sessions or more on each side
  Verdict verdict = Verdict::kNotEnoughData;  // of b; kNotEnoughData where not attributable
};

struct SideComparison {
  std::vector<SideCell> cells;      // in the order of side b
  std::vector<std::string> only_a;  // names of measured cells without a partner
  std::vector<std::string> only_b;
};

// Measured cells with a trial, of equal hash, or else one on each side of equal varied parameters.
// The session is the unit: trials of one session share what differs between sessions, and an
// interval over them would take that for the change (METHODS.md, Sessions). So interval, p value
// and verdict exist from kSessionsAsUnit sessions a side on; the ratio does where the times are the
// same thing.
//   margin, confidence  in (0, 1); equivalence is within 1 / (1 + margin) .. 1 + margin.
SideComparison compare_sides(const Side& a, const Side& b, double margin, double confidence);

}  // namespace scalestudy
