// The library parses; the places are found by walking the text along with its events, which come in
// the order of the text.
#include "harness/import/json_text.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/text/json.h"

namespace scalestudy {
namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kMostLevels = 64;

// Builds the tree; the functions' names and types are those that the library calls.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, std::vector<Problem>& problems)
      : text_(text), problems_(problems) {
    open_.push_back(&root_);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // the library skips it too
    at_ = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  }

  std::optional<JsonValue> take_tree() {
    return root_.items.empty() ? std::nullopt : std::optional(std::move(root_.items.front()));
  }

  bool null() override { return add(Kind::kNull, take_word()); }
  bool boolean(bool /*value*/) override { return add(Kind::kFlag, take_word()); }
  bool number_integer(number_integer_t /*value*/) override { return add_number(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return add_number(); }
  bool number_float(number_float_t /*value*/, const string_t& /*written*/) override {
    return add_number();
  }
  bool string(string_t& value) override {
    PlacedText at = take_string();
    at.text = value;
    return add(Kind::kText, std::move(at));
  }
  bool binary(binary_t& /*value*/) override { return false; }  // not in texts
  bool start_object(std::size_t /*size*/) override { return open(Kind::kMap); }
  bool start_array(std::size_t /*size*/) override { return open(Kind::kList); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    take_string();
    key_ = value;
    return true;
  }
  bool parse_error(std::size_t /*position*/,
                   const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    const PlacedText next = take_start();  // where a number is that is too large
    const JsonProblem problem = json_problem(text_, error);
    const bool has_place = problem.column > 0;
    problems_.push_back({has_place ? problem.line : next.line,
                         has_place ? problem.column : next.column,
                         problem.message});
    return false;
  }

 private:
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  void move_to(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
    }
  }

  // To the next token, over blanks and what only separates.
  PlacedText take_start() {
    const std::size_t start = text_.find_first_not_of(" \t\r\n,:", at_);
    move_to(std::min(start, text_.size()));
    return {"", line_, column()};
  }

  // A number, true, false or null.
  PlacedText take_word() {
    PlacedText at = take_start();
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
    at.text = text_.substr(at_, end - at_);
    move_to(end);
    return at;
  }

  PlacedText take_string() {
    PlacedText at = take_start();
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') {
      end += text_[end] == '\\' ? 2U : 1U;
    }
    move_to(std::min(end + 1, text_.size()));
    return at;
  }

  JsonValue& place_for_value() {
    JsonValue& parent = *open_.back();
    if (parent.kind == Kind::kMap) {
      parent.names.push_back(key_);
    }
    return parent.items.emplace_back();
  }

  bool add(Kind kind, PlacedText at) {
    JsonValue& value = place_for_value();
    value.kind = kind;
    value.at = std::move(at);
    return true;
  }

  bool add_number() { return add(Kind::kNumber, take_word()); }

  bool open(Kind kind) {
    const PlacedText at = take_start();
    move_to(at_ + 1);
    if (open_.size() > kMostLevels) {
      problems_.push_back(
          {at.line, at.column, fmt::format("nested deeper than {} levels", kMostLevels)});
      return false;
    }
    JsonValue& value = place_for_value();
    value.kind = kind;
    value.at = at;
    open_.push_back(&value);  // its parent takes no further value before it is closed
    return true;
  }

  bool close() {
    take_start();
    move_to(at_ + 1);
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  std::vector<Problem>& problems_;
  JsonValue root_{.kind = Kind::kList, .at = {}, .items = {}, .names = {}};
  std::vector<JsonValue*> open_;
  std::string key_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

const JsonValue* JsonValue::find(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

std::optional<JsonValue> parse_json(const std::string& text, std::vector<Problem>& problems) {
  TreeBuilder builder(text, problems);
  return nlohmann::json::sax_parse(text, &builder) ? builder.take_tree() : std::nullopt;
}

}  // namespace scalestudy
