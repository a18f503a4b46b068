#include "tests/stats/oracle/adapters.h"

namespace scalestudy::test {

AdapterTable all_adapters() {
  AdapterTable table;
  add_cell_adapters(table);
  add_comparison_adapters(table);
  add_curve_adapters(table);
  add_session_adapters(table);
  add_nist_adapters(table);
  add_rank_adapters(table);
  add_bootstrap_adapters(table);
  return table;
}

}  // namespace scalestudy::test
