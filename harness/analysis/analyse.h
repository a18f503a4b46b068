// Stored samples -> result rows. Deterministic: the same store gives the same rows.
#pragma once

#include <cstdint>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Version of the analysis, raised when the same trials give other numbers, or numbers with another
// meaning.
// - 1: the step time was the mean over steps of the slowest rank's time. Results of this version do
//   not name their version.
// - 2: the step time is that of the trial's measured window (StepTime). Cells are compared on
//   common blocks, by session and as ratios of means. A target has one verdict over its cells.
// - 3: break-evens and communication times allow for looks. The break-even of a metric that is
//   better when lower is where it falls below the level. Values that a single seed fixes count as
//   one. Targets on rates of saves are tested over several cells.
// - 4: intervals of times, amounts, rates and shares end before their bounds. Laws over devices are
//   fitted to mean times, and serial fractions allow for cells with different spreads.
// - 5: verdicts, break-evens and targets at one level are one decision, at the level alpha*
//   of their question; the best of three or more cells is chosen together with the verdicts. The
//   least detectable difference follows from the noncentral t.
// - 6: a comparison with a cell that this machine cannot run is unsupported. Load is judged by the
//   slowdown that it caused. A launch that failed does not fit, also if a later one did.
// - 7: load that puts only some results in doubt, or times alone, is a warning of its own.
// - 8: what is the same in all trials is compared with a level as it is, outside of its family. A
//   curve that crosses more than once has no set if it does so in its first or last step. A law
//   that does not apply is not chosen.
// - 9: bandwidths of a collective are compared by the times that they follow from. Times to a value
//   are adjusted for comparisons that make a claim alone. Parts of a step of an epoch count.
//   Brackets of one-sided metrics, probes of largest batches, network shares of all-to-all and
//   levels of targets changed as well.
// - 10: a speedup by two investments pays for neither of them alone. Load is a share of the cores
//   of the machine that ran the trial. A curve that lies on its level has no crossing.
// - 11: from five sessions on laws are fitted to sessions. Drift is looked for inside sessions, and
//   sessions that contradict each other are reported. alpha_beta takes sizes from the axis as well.
// - 12: changes of env, setup and cwd, and programs edited while a session ran, are reported.
//   Efficiency above 100 % is not suspected if another batch explains it.
// - 13: what setup left running, and failed cleanups of any workload, are reported. Programs named
//   in the text of `sh -c` are reported by the cells that ran them.
// - 14: step times that rise and fall over a session are reported as drift.
// - 15: an imported log that was read again counts as failed only if its last reading did.
// - 16: "counts x1024" is found by rate times time of the same steps as well.
// - 17: faster or slower by more than the margin allows for the number of comparisons. Where other
//   settings than devices, nodes and batch differ from the base, there is no efficiency.
// - 18: a level between sessions that differ, or on impossible times, is undecided. One common
//   block of several is no ratio. Curves over devices keep nodes that follow from the devices.
//   Shares in percent end at 100.
// - 19: a metric that a rule gives is what the program printed. Load and rare slow trials are
//   judged by results that have a value, and drift over steps by its change. A median that cells
//   are compared by needs no 10 steps.
// - 20: a comparison of which a side has no ok trial says how that side ended. Cells that do not
//   communicate have no communication law. A use of the machine that rules give is not filled in.
// - 21: a trial taken out by `exclude` counts as excluded, and cells of a command have rows even if
//   no trial has a value. A changed `build` or `cleanup` mixes trials. A bound on what should be
//   low has the smallest number that keeps it. Sizes of samples reach the most they are looked for.
//   A change of sessions or of the machine is placed where it is, also near an end.
// - 22: trials that `exclude` took out of a search's race are reported. A target says how the
//   trials of its cell ended, if none is ok. Two cells whose base has no result are compared with
//   each other, and no verdict on that base is counted.
// - 23: how often gates fire by chance is counted over cells that have a claim. A finding of a
//   curve that crosses a level more than once names where.
// - 24: a launch that was read again by other rules is one attempt. Printed rates and coarse times
//   are judged by the digits of what was printed. A part of a step above 100 % is reported, and a
//   base of another batch makes no strong or weak scaling.
inline constexpr int kAnalysisVersion = 24;

// Computes all results of one stored study. Reads trials and series, writes nothing.
Results analyse(const Store& store, std::int64_t study_id, const Study& declared);

}  // namespace scalestudy
