// The relations between standard quantities: which figure follows from which, by which formula.
#pragma once

#include <string_view>
#include <vector>

#include "harness/audit/figure/formula.h"

namespace scalestudy::audit {

enum class Sense {
  kEqual,    // the figure must be this
  kAtLeast,  // the figure is this or more: a training's time holds more than its epochs
  kMayBe,    // one of several meanings of the name; agreement counts, disagreement says nothing
};

// What must be known of the run for a relation to be meant at all.
enum class Requirement {
  kNone,
  kStrong,     // every step does the same work: strong scaling, declared or seen in the batches
  kWeak,       // every device does the same work a step
  kWeakTime,   // as kWeak, where that is known, or unsaid and the whole training keeps its time
  kSameTime,   // a whole training's work is the same; not certain where `scaling` says weak
  kSamples,    // the throughput counts samples, by its unit
  kTokens,     // the throughput counts tokens
  kAllReduce,  // the condition `operation` says all_reduce
  kGather,     // the operation is all_gather or another whose message travels in parts
  kRooted,     // the operation is broadcast or another whose message travels whole
};

// What speedups start from in the tables that a relation is meant for.
enum class SpeedupBase {
  kAny,
  kOne,     // the baseline's run has a speedup of 1
  kLinear,  // the baseline's run prints n on n devices (ideal_base())
};

struct Relation {
  std::string_view target;
  // Names are quantities of the figure's own run, "baseline NAME" of the run it is relative to.
  Formula formula;
  Sense sense = Sense::kEqual;
  Requirement requirement = Requirement::kNone;
  SpeedupBase base = SpeedupBase::kAny;
};

// All relations, those of one target together.
const std::vector<Relation>& relations();

}  // namespace scalestudy::audit
