// What `import --assume` stores with the figures that it is about.
#include "harness/import/assumptions.h"

#include <string>

#include "tests/import/imported.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

const std::string kDense = SCALESTUDY_SOURCE_DIR "/data/published/dense-two-rtx-4070";

std::string refusal(const std::string& assumption) {
  try {
    import_assuming(kDense, {assumption});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an assumption is stored beside the conditions, never among them", "[import]") {
  const PublicationRow plain = import_assuming(kDense, {});
  const PublicationRow assuming = import_assuming(kDense, {"devices=2,precision=fp32"});

  REQUIRE(plain.figures.size() == assuming.figures.size());
  for (std::size_t i = 0; i < plain.figures.size(); ++i) {
    CHECK(assuming.figures[i].conditions == plain.figures[i].conditions);
    CHECK(plain.figures[i].assumed == "{}");
    CHECK(assuming.figures[i].assumed == R"({"devices":"2","precision":"fp32"})");
  }
  CHECK(assuming.hash != plain.hash);  // so that the import takes the place of the plain one
}

TEST_CASE("an assumption can be about a table, a column or a row", "[import]") {
  const PublicationRow publication =
      import_assuming(kDense, {"devices=2", "large/memory/devices=1", "medium/3/devices=4"});
  const auto assumed = [&](const char* table, std::int64_t row, const char* column) {
    return figure(publication, table, row, column).assumed;
  };

  CHECK(assumed("large", 1, "memory") == R"({"devices":"1"})");
  CHECK(assumed("large", 1, "speedup") == R"({"devices":"2"})");
  CHECK(assumed("medium", 3, "memory") == R"({"devices":"4"})");  // the last one counts
  CHECK(assumed("medium", 2, "memory") == R"({"devices":"2"})");
}

TEST_CASE("a value may hold a comma, a slash and an equals sign", "[import]") {
  const std::vector<Assumption> found =
      parse_assumptions({"data=ImageNet, 224 pixels,model=a/b=c", "platform=*"});

  REQUIRE(found.size() == 3);
  CHECK(found[0].value == "ImageNet, 224 pixels");
  CHECK(found[1].name == "model");
  CHECK(found[1].value == "a/b=c");
  CHECK(found[1].where.empty());
  CHECK(found[2].value == "*");
}

TEST_CASE("an assumption that says nothing, or is about nothing, is refused", "[import]") {
  CHECK_THAT(refusal("devices"), Contains("--assume devices: write NAME=VALUE"));
  CHECK_THAT(refusal("devices="), Contains("write NAME=VALUE"));
  CHECK_THAT(refusal("=2"), Contains("write NAME=VALUE"));
  CHECK_THAT(refusal("/devices=2"), Contains("write NAME=VALUE"));
  CHECK_THAT(refusal("huge/devices=2"),
             Contains("no figure belongs to a table, column, experiment or row huge"));
}
