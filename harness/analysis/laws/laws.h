// Laws fitted to trial step times: over the number of devices, and over the size of a message.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/laws/law_points.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Fits each listed law to each curve over devices (each cell's baseline included, oversubscribed
// cells left out). If the order is blocks, the effects of blocks are removed from the times first.
// The first row of a law and curve has the finding. Rows by law, one for each parameter:
// - amdahl: serial_fraction, t1_s, lack_of_fit_p; strong scaling only. Its limit for ever more
//   devices has no row: nothing is said beyond twice the most devices measured.
// - usl: sigma, kappa, lambda (samples/s), n_peak (provenance projected; absent if it lies beyond
//   twice the most devices measured), lack_of_fit_p.
// - gustafson: serial_fraction, t1_s, lack_of_fit_p; weak scaling only.
// - communication_added, communication_hidden: compute_s, lack_of_fit_p, if `communication` is
//   known.
// - communication_fitted: compute_s, hop_latency_s, transfer_s, lack_of_fit_p; weak scaling only.
//   Without intervals, because some of these parameters are held at a bound.
// - alpha_beta: alpha_s, bandwidth_bytes_per_s, relative_residual_sd, lack_of_fit_p of
//   time = alpha + bytes/bandwidth, for a curve over message_bytes; `levels` counts its sizes.
//
// Values of `status`:
// - ok: the law was tested against the scatter of the trials and not rejected.
// - untested: no more device counts than free parameters (amdahl 2, usl 3, or 2 with kappa at its
//   bound), or no replicates. The curve then goes through any points, so nothing is derived beyond
//   them.
// - kappa_at_bound: usl as with ok, but kappa is 0, without interval and without peak.
// - rejected: lack of fit p < 1 - confidence; no parameter has a value.
// - serial_above_one: more devices make the step slower (gustafson: do less work).
// - serial_below_zero: scaling is more than linear. If this, or serial_above_one, is resolved (the
//   interval lies outside of 0 to 1), the law does not apply and no parameter has a value; else
//   value and interval are cut at the bound.
// - alpha_below_zero: alpha_beta; the line has no latency, so no parameter has a value.
// - not_applicable: the law is not about this study's scaling.
// - others: the status of the fit in stats; insufficient_data also if no chain of common blocks
//   connects the cells.
std::vector<LawRow> fit_laws(const StudyObservation& observation,
                             const Study& study,
                             const Communication& communication = {});

// Whether the points leave room for the law: false if its serial fraction is resolved to lie
// outside of 0 to 1.
bool may_apply(stats::StepLaw law, const LawPoints& points, double confidence);

}  // namespace scalestudy
