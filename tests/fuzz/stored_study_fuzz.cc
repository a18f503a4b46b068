// Study texts of a store, which no version may fail on but by an Error.
#include "harness/study/parse.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  answers([&] { (void)parse_stored_study(input, "study.yaml"); });
}
