// How far sessions are apart, of one cell and of a study.
#pragma once

#include <optional>
#include <vector>

#include "harness/analysis/cells/sessions.h"

namespace scalestudy {

// Two sessions of a cell that contradict each other on a level.
struct SessionsAround {
  SessionId below;          // of the least mean
  SessionId above;          // of the greatest mean
  std::optional<double> p;  // of the F test; absent if no session has a spread
};

// The sessions of the least and the greatest mean, if the level lies between the two and sessions
// differ by more than chance (F test at alpha). Absent for one session, and from kSessionsAsUnit
// on, where the interval allows for their spread.
std::optional<SessionsAround> sessions_around(const SessionValues& values,
                                              double level,
                                              double alpha);

// The threat sessions of trials that come from several: what intervals hold for, and how far the
// sessions are apart. A warning if that is more than chance and the margin explain, in fewer than
// kSessionsAsUnit sessions; else a note. It names `history` if they differ and are as many as that
// needs.
std::vector<ThreatRow> spread_threats(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy
