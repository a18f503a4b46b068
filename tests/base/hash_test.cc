// Hashes are stored: they may never change.
#include "harness/base/hash.h"

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("a text has the hash that XXH3 gives it on every machine", "[base]") {
  // From `printf TEXT | xxhsum -H3` (xxhsum 0.8.1).
  CHECK(text_hash("") == "2d06800538d394c2");
  CHECK(text_hash("a") == "e6c632b61e964e1f");
}
