// How often to save, and what failures cost then: calculated from the times of a save and of a
// restart and from a rate of failures.
#pragma once

#include <optional>

namespace scalestudy::stats {

// Model: failures are a Poisson process with a mean time of mtbf_s between them, during work, saves
// and restarts alike; a failure during a restart begins it anew. Times are in s and finite: save_s,
// interval_s and mtbf_s > 0, restart_s >= 0. Functions return nothing for other arguments.

// The best time of work between two saves, s, to first order: sqrt(2 save_s mtbf_s). Absent from
// save_s = mtbf_s / 2 on, where it would reach mtbf_s: the formula is for short saves. Source:
// Young, Commun. ACM 17 (1974) 530.
std::optional<double> young_interval(double save_s, double mtbf_s);

// The best time of work between two saves, s, to higher order: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 +
// (d / 2M) / 9) - d with d = save_s, M = mtbf_s. Rises with d. Absent from d = 2M on, where Daly
// takes M: 19 of 20 attempts at a save would fail. Source: Daly, Future Gener. Comput. Syst. 22
// (2006) 303.
std::optional<double> daly_interval(double save_s, double mtbf_s);

// Expected extra time over useful work, a ratio, with a save after each interval_s of work and the
// work since the last save lost in a failure: M e^(R/M) (e^((T + d)/M) - 1)/T - 1. Rises with
// save_s and restart_s. Absent where that overflows. Source: Daly (2006).
// - restart_s: from a failure to the moment when work goes on.
std::optional<double> expected_overhead(double save_s,
                                        double restart_s,
                                        double interval_s,
                                        double mtbf_s);

// Expected extra time over useful work, a ratio, if each failure is announced early enough to save:
// no work is lost, and e^(R/M) - 1 is the mean time of a restart, failures in it included, times
// their rate.
// - restart_s: includes the save after the announcement.
std::optional<double> announced_overhead(double restart_s, double mtbf_s);

}  // namespace scalestudy::stats
