// Analysis and report of 48, 192 and 768 cells of 3 trials: how the time grows with them.
#include <fmt/format.h>

#include "tests/report/growing_study.h"

int main() {
  for (const int learning_rates : {2, 8, 32}) {
    scalestudy::test::GrowingStudy growing(learning_rates);
    const double analysis_s = growing.analysis_s();
    fmt::print("report_growth: {} cells: analysis {:.3f} s, report {:.3f} s\n",
               growing.cells,
               analysis_s,
               growing.report_s());
  }
}
