// How often to save, and what failures cost then: calculated from the times of a save and of a
// restart and from a rate of failures.
#pragma once

#include <optional>

namespace scalestudy::stats {

// Failures come as a Poisson process with a mean time of mtbf_s between them, while work is done,
// saved and restarted alike; one in a restart begins it anew. Times in s, finite; save_s,
// interval_s and mtbf_s > 0, restart_s >= 0. Absent where one of them is not so.

// sqrt(2 save_s mtbf_s): work between two saves. Absent from save_s = mtbf_s / 2 on, where it would
// be mtbf_s or longer: it is made for saves that are short beside that. Source: Young, Commun. ACM
// 17 (1974) 530.
std::optional<double> young_interval(double save_s, double mtbf_s);

// The same to higher order: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d. Rises with d.
// Absent from d = 2M on, where Daly takes M: 19 of 20 attempts at a save would fail. Source: Daly,
// Future Gener. Comput. Syst. 22 (2006) 303.
std::optional<double> daly_interval(double save_s, double mtbf_s);

// Time beyond the work, over the work, where it is saved behind each interval_s of work and what
// was done since the last save is lost with a failure: M e^(R/M) (e^((T + d)/M) - 1)/T - 1. Rises
// with save_s and restart_s. Absent where that overflows. Source: Daly (2006).
//   restart_s  from a failure to the moment when work goes on
std::optional<double> expected_overhead(double save_s,
                                        double restart_s,
                                        double interval_s,
                                        double mtbf_s);

// The same where each failure is announced in time to save, and that is in restart_s: nothing is
// lost, and e^(R/M) - 1 is the mean time of a restart, failures in it included, times their rate.
std::optional<double> announced_overhead(double restart_s, double mtbf_s);

}  // namespace scalestudy::stats
