// Words of an enum there and back.
#include "harness/text/words.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

enum class Fruit { kApple, kPear };

}  // namespace

template <>
inline constexpr std::string_view scalestudy::kWords<Fruit> = "apple|pear";

TEST_CASE("each enumerator has its word and each word its enumerator", "[base]") {
  CHECK(to_word(Fruit::kApple) == "apple");
  CHECK(to_word(Fruit::kPear) == "pear");
  CHECK(from_word<Fruit>("apple") == Fruit::kApple);
  CHECK(from_word<Fruit>("pear") == Fruit::kPear);
}

TEST_CASE("what is none of the words is no enumerator", "[base]") {
  CHECK_FALSE(from_word<Fruit>("").has_value());
  CHECK_FALSE(from_word<Fruit>("Pear").has_value());
  CHECK_FALSE(from_word<Fruit>("pea").has_value());
  CHECK_THROWS_AS(to_word(static_cast<Fruit>(2)), std::out_of_range);
}

TEST_CASE("an enumerator too many, or a word too many, is seen at compile time", "[base]") {
  STATIC_REQUIRE(count_words(kWords<Fruit>) == 2);
  STATIC_REQUIRE(has_enumerators<Fruit, 2>());
  STATIC_REQUIRE_FALSE(has_enumerators<Fruit, 1>());
  STATIC_REQUIRE_FALSE(has_enumerators<Fruit, 3>());
}
