// SQL of a stranger over a store: `query`, {{#query}} of templates.
#include "harness/store/store.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  static const Store kStore = Store::open(scratch() / "results");
  answers([&] { (void)kStore.query(input, {}, /*most_s=*/2.0); });
}
