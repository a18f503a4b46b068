// JSON to be written: values, lists, and objects whose members keep their order.
#pragma once

#include <concepts>
#include <exception>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalestudy {

class JsonText {
 public:
  using Member = std::pair<std::string, JsonText>;

  JsonText() = default;  // null
  // NOLINTBEGIN(google-explicit-constructor): a value is its JSON
  JsonText(bool value) : kind_(Kind::kScalar), text_(value ? "true" : "false") {}
  JsonText(std::integral auto value) : kind_(Kind::kScalar), text_(std::to_string(value)) {}
  JsonText(double value);  // null if it is not finite
  JsonText(std::string_view value);
  JsonText(const std::string& value) : JsonText(std::string_view(value)) {}
  JsonText(const char* value) : JsonText(std::string_view(value)) {}
  template <typename T>
  JsonText(const std::optional<T>& value) : JsonText(value ? JsonText(*value) : JsonText()) {}
  // NOLINTEND(google-explicit-constructor)

  static JsonText list(std::vector<JsonText> elements = {});
  static JsonText object(std::vector<Member> members = {});

  // A list of a container's elements.
  template <std::ranges::range Range>
  static JsonText list_of(const Range& range) {
    return list(std::vector<JsonText>(range.begin(), range.end()));
  }

  // The value of a text of JSON; absent if it is none.
  static std::optional<JsonText> parse(std::string_view text);

  // The member of an object, null where it is new. Null becomes an object.
  JsonText& operator[](std::string_view name);

  void push_back(JsonText element);  // to a list; null becomes one

  // The members of an object, in their order; the elements of a list, without names; else none.
  const std::vector<Member>& members() const { return members_; }

  // - indent: spaces a level, each element and member on its own line; absent: all on one line.
  //   Bytes that are not UTF-8 are replaced.
  std::string dump(std::optional<int> indent = {}) const;

 private:
  enum class Kind { kNull, kScalar, kList, kObject };

  void append_to(std::string& text, std::optional<int> indent, int depth) const;

  Kind kind_ = Kind::kNull;
  std::string text_ = "null";  // as it is written; of lists and objects unused
  std::vector<Member> members_;
};

// Why a text could not be read as the JSON that it should be.
struct JsonProblem {
  int line = 1;    // from 1
  int column = 0;  // from 1, in bytes; 0 if the text is JSON with wrong values
  std::string message;
};

// - error: what reading the text threw. Words of the JSON library are replaced.
JsonProblem json_problem(std::string_view text, const std::exception& error);

}  // namespace scalestudy
