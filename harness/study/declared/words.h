// Words that study files and stored rows share.
#pragma once

#include "harness/text/words.h"

namespace scalestudy {

// What a trial runs.
enum class Workload { kTrain, kCollective, kCommand };

template <>
inline constexpr std::string_view kWords<Workload> = "train|collective|command";

// The purpose of a cell. All but kMeasured are controls, which the harness adds.
enum class CellRole {
  kMeasured,     // declared by the study
  kNoop,         // each multi-device cell again with communication switched off
  kBarrier,      // each such cell again with one element per rank and bucket: ranks only wait
  kStartWait,    // each multi-device cell of overlap poll again without overlap, by the same calls
  kAa,           // each baseline cell again under a second name
  kDeviceMatch,  // a cell of one device again on each other device of a node
};

template <>
inline constexpr std::string_view kWords<CellRole> =
    "measured|noop|barrier|start_wait|aa|device_match";

// Global batch fixed | per-device batch fixed | neither.
enum class Scaling { kStrong, kWeak, kNone };

template <>
inline constexpr std::string_view kWords<Scaling> = "strong|weak|none";

// Kinds of report: templates/<word>.md.
enum class ReportKind {
  kScaling,       // how far more devices help
  kSecondDevice,  // whether a second device pays, from which size on, and at which price
  kNotes,         // an experiment, with its plots and what communication took
  kPlatform,      // tokens, utilization, memory, energy and cost, beside published results
  kProjection,    // what was measured, apart from what was calculated
  kCollective,    // times and bandwidths of one collective operation
};

template <>
inline constexpr std::string_view kWords<ReportKind> =
    "scaling|second-device|notes|platform|projection|collective";

enum class Law {
  kAmdahl,
  kUsl,
  kAlphaBeta,
  kGustafson,
  kCommunicationAdded,   // computation, then a communication of known time
  kCommunicationHidden,  // that communication overlaps computation as far as it can
  kCommunicationFitted,  // computation, then a ring whose costs are fitted too
};

template <>
inline constexpr std::string_view kWords<Law> =
    "amdahl|usl|alpha_beta|gustafson|communication_added|communication_hidden|"
    "communication_fitted";

// The kind of a parameter's values, in the order of the alternatives of Value.
enum class ValueKind { kFlag, kInteger, kReal, kText };

template <>
inline constexpr std::string_view kWords<ValueKind> = "flag|integer|real|text";

// The purpose of a trial in a search. kNone: its study has no search, or was planned by a version
// that had none.
enum class SearchPart { kNone, kRace, kWinner, kCandidate, kDefault };

template <>
inline constexpr std::string_view kWords<SearchPart> = "|race|winner|candidate|default";

}  // namespace scalestudy
