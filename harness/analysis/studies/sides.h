// Comparison of two sides that were not measured together: before and after a driver update, or on
// two machines.
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
  StudyObservation observation;                           // what_counts() of `sessions`
  Study study;                                            // as the last of its sessions ran it
  std::vector<SessionRow> sessions;                       // not empty; in order of their ids
  std::vector<std::map<std::string, std::string>> facts;  // session_facts, parallel to sessions
};

// The recorded facts of a session's machine and software, host and tool included.
std::map<std::string, std::string> session_facts(const Store& store, const SessionRow& session);

// Observes the given sessions of the study `row`.
Side observe_side(const Store& store, const StudyRow& row, std::vector<SessionRow> sessions);

// The side without sessions that ran none of its trials that count: what their machine was does
// not matter. All stay if none ran one.
Side without_idle_sessions(Side side);

// A fact in which the sides differ, with the values on each side.
struct FactDifference {
  std::string name;
  std::set<std::string> a;  // empty if no session of the side has it
  std::set<std::string> b;
};
std::vector<FactDifference> fact_differences(const Side& a, const Side& b);

// What differs between two versions of a study, one line each, without the number of trials and how
// they are judged.
std::vector<std::string> study_differences(const Study& a, const Study& b);

// A cell measured on both sides, with their comparison.
struct SideCell {
  CellRow cell;              // row of side b
  bool is_same = true;       // false: matched by varied parameters; others differ
  std::size_t trials_a = 0;  // trials that count
  std::size_t trials_b = 0;
  std::size_t sessions_a = 0;  // sessions that ran these trials
  std::size_t sessions_b = 0;
  std::optional<double> time_a_s;  // mean of the sessions' mean step times
  std::optional<double> time_b_s;
  bool is_same_time = true;          // false: step times are defined differently on the sides
                                     // (StepTimeDefinition), so that there is no ratio
  std::optional<double> work = 1.0;  // of a step of b over that of a; absent: not declared, so that
                                     // there is no ratio
  std::optional<double> ratio;       // work * time_a_s / time_b_s: above 1, b is faster
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> p_adjusted;                 // Holm over the cells
  RowStatus status = RowStatus::kInsufficientData;  // of the interval
  bool is_attributable = false;                     // kSessionsAsUnit sessions or more on each side
  Verdict verdict = Verdict::kNotEnoughData;        // on side b; this if not attributable
};

struct SideComparison {
  std::vector<SideCell> cells;  // in the order of side b
  std::vector<CellRow> only_a;  // measured cells without a partner
  std::vector<CellRow> only_b;
  // Cells that the sessions of b were to measure and have no trial of that counts, whatever a has
  // of them: not those that its study leaves out, nor those that its machine cannot run. Of a
  // search for the largest batch only those that a has measured.
  std::vector<CellRow> lost;
};

// Compares measured cells that have trials. Two cells match by their hash, or else if each is the
// only one of its side with these varied parameters. The session is the unit: trials of one session
// share what differs between sessions, and an interval over them would take that for the change
// (METHODS.md, Sessions). So interval, p value and verdict exist from kSessionsAsUnit sessions a
// side on; the ratio, of throughputs, exists if the step times are defined alike and the work of a
// step is known (has_known_work) and declared on both sides or on neither.
// - margin, confidence: in (0, 1); equivalence is within 1 / (1 + margin) .. 1 + margin.
SideComparison compare_sides(const Side& a, const Side& b, double margin, double confidence);

}  // namespace scalestudy
