#include "harness/report/input/compared_figures.h"

namespace scalestudy::report {

CounterpartRow counterpart_of(const ReportInput& input, const PublishedFigureRow& figure) {
  const CounterpartRow* found = input.counterpart(figure.id);
  CounterpartRow none;
  none.reason = "not compared yet: make the report again";
  return found == nullptr ? none : *found;
}

}  // namespace scalestudy::report
