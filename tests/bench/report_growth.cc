// Analysis and report of 48, 192 and 768 cells of 3 trials: how the time grows with them.
#include <fmt/format.h>

#include "tests/report/growing_study.h"

int main() {
  for (const int learning_rates : {2, 8, 32}) {
    scalestudy::test::GrowingStudy growing(learning_rates);
    const scalestudy::test::Seconds analysis = growing.analyse_again();
    const scalestudy::test::Seconds report = growing.report();
    fmt::print("report_growth: {} cells: analysis {:.3f} s, report {:.3f} s, {:.3f} s of CPU\n",
               growing.cells,
               analysis.wall_s,
               report.wall_s,
               report.cpu_s);
  }
}
