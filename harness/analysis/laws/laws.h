// Laws fitted to trial step times: over the number of devices, and over the size of a message.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Rows per listed law and curve over devices (each cell's baseline included, oversubscribed cells
// left out), fitted to times from which the effects of their blocks are taken out first, where the
// order is blocks. The first row of a law and curve carries the finding.
//   amdahl  serial_fraction, t1_s, lack_of_fit_p; strong scaling only. Its limit for ever more
//           devices is no row: nothing is said beyond twice the most devices measured
//   usl     sigma, kappa, lambda (samples/s), n_peak (provenance projected; absent where it lies
//           beyond that), lack_of_fit_p
//   gustafson  serial_fraction, t1_s, lack_of_fit_p; weak scaling only
//   communication_added, communication_hidden  compute_s, lack_of_fit_p, where `communication` is
//           known; communication_fitted  compute_s, hop_latency_s, transfer_s, lack_of_fit_p, weak
//           scaling only. Without intervals: some of these parameters are held at a bound
//   alpha_beta  alpha_s, bandwidth_bytes_per_s, relative_residual_sd, lack_of_fit_p of
//           time = alpha + bytes/bandwidth; a curve over message_bytes, and `levels` its sizes
// Values of `status`:
//   ok                the law was tested against the scatter of the trials and not rejected
//   untested          no more device counts than free parameters (amdahl 2, usl 3, or 2 with kappa
//                     at its bound) or no replicates: the curve goes through the points whatever
//                     they are, so nothing beyond them is derived
//   kappa_at_bound    usl: as ok, with kappa 0, no interval and no peak
//   rejected          lack of fit p < 1 - confidence: no parameter has a value
//   serial_above_one  more devices make the step slower (gustafson: do less)
//   serial_below_zero more than linear scaling; where one of the two is resolved (the interval lies
//                     outside of 0 to 1) the law does not apply and no parameter has a value, else
//                     value and interval are cut at the bound
//   alpha_below_zero  alpha_beta: the line has no latency, so no parameter has a value
//   not_applicable    the law is not about this study's scaling
//   any other         that of the fit in stats; insufficient_data also where no chain of common
//                     blocks connects the cells
std::vector<LawRow> fit_laws(const StudyObservation& observation,
                             const Study& study,
                             const Communication& communication = {});

}  // namespace scalestudy
