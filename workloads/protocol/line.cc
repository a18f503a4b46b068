#include "workloads/protocol/line.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "workloads/protocol/names.h"

namespace scalestudy::protocol {
namespace {

// At most 40 bytes of untrusted text, anything unprintable as '?': fit for a message.
std::string excerpt(std::string_view text) {
  constexpr std::size_t limit = 40;
  std::string result;
  for (const char c : text.substr(0, limit)) {
    result += c >= ' ' && c <= '~' ? c : '?';
  }
  return text.size() > limit ? result + "..." : result;
}

constexpr std::size_t kMostNames = 10'000;  // of an object: each takes much more room than its text

// Receives the parser's events; the names are those of nlohmann's SAX interface, false stops it.
// The parser keeps its stack on the heap: deep nesting costs memory in proportion and no recursion.
class LineHandler {
 public:
  LineHandler(Line& line, std::size_t max_values) : line_(line), max_values_(max_values) {}

  bool null() { return scalar(std::monostate{}); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(std::int64_t value) {
    return in_values() ? push(static_cast<double>(value)) : scalar(value);
  }
  bool number_unsigned(std::uint64_t value) {
    if (in_values()) {
      return push(static_cast<double>(value));
    }
    return std::in_range<std::int64_t>(value) ? scalar(static_cast<std::int64_t>(value))
                                              : scalar(static_cast<double>(value));
  }
  bool number_float(double value, const std::string& /*text*/) {
    return in_values() ? push(value) : scalar(value);
  }
  bool string(std::string& text) { return scalar(std::move(text)); }
  static bool binary(std::vector<std::uint8_t>& /*bytes*/) {
    return false;
  }  // does not occur in JSON text

  bool start_object(std::size_t /*size*/) {
    if (depth_ == 1) {
      inner_ = &line_.objects[key_];
    }
    return open("an object");
  }
  bool end_object() { return close(); }

  bool start_array(std::size_t /*size*/) {
    if (depth_ == 0) {
      return refuse("not a JSON object");
    }
    if (depth_ == 1) {
      line_.arrays.insert(key_);
      is_values_ = key_ == "values";
      ++depth_;
      return true;
    }
    return open("an array");
  }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (names_.size() + (inner_ == nullptr ? 0 : inner_->size()) > kMostNames) {
      return refuse("more than " + std::to_string(kMostNames) + " names");
    }
    if (depth_ == 1) {
      key_ = std::move(name);
      return names_.insert(key_).second || refuse("the field '" + excerpt(key_) + "' stands twice");
    }
    if (depth_ == 2) {
      inner_key_ = std::move(name);
    }
    return true;
  }

  bool parse_error(std::size_t position,
                   const std::string& token,
                   const nlohmann::detail::exception& error) {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) {
      line_.has_bad_number = true;
      return refuse("the number " + excerpt(token) + " is out of range");
    }
    return refuse("not valid JSON at byte " + std::to_string(position) + ", near '" +
                  excerpt(token) + "'");
  }

 private:
  [[nodiscard]] bool in_values() const { return is_values_ && depth_ == 2; }

  bool refuse(std::string problem) {
    line_.problem = std::move(problem);
    return false;
  }

  void refuse_value(const std::string& found) {
    line_.has_bad_number = true;
    if (line_.values_problem.empty()) {
      line_.values_problem = "values[" + std::to_string(line_.values.size()) + "] is " + found +
                             ", a finite number is required";
    }
  }

  bool push(double value) {
    if (!line_.values_problem.empty()) {
      return true;
    }
    if (line_.values.size() == max_values_) {
      line_.values_problem = "too many values";
    } else {
      line_.values.push_back(value);
    }
    return true;
  }

  bool open(const char* what) {
    if (in_values()) {
      refuse_value(what);
    }
    ++depth_;
    return true;
  }

  bool close() {
    --depth_;
    if (depth_ == 1) {
      inner_ = nullptr;
      is_values_ = false;
    }
    return true;
  }

  bool scalar(Scalar value) {
    if (depth_ == 0) {
      return refuse("not a JSON object");
    }
    if (in_values()) {
      refuse_value(describe(value));
    } else if (depth_ == 1) {
      line_.fields[key_] = std::move(value);
    } else if (depth_ == 2 && inner_ != nullptr &&
               !inner_->emplace(inner_key_, std::move(value)).second) {
      return refuse("'" + excerpt(inner_key_) + "' stands twice in '" + excerpt(key_) + "'");
    }
    return true;
  }

  Line& line_;
  std::size_t max_values_;
  std::size_t depth_ = 0;
  bool is_values_ = false;                          // inside the array "values"
  std::map<std::string, Scalar>* inner_ = nullptr;  // the object at depth 2
  std::string key_;                                 // at depth 1
  std::string inner_key_;                           // at depth 2
  std::set<std::string> names_;                     // at depth 1, so far
};

}  // namespace

Line parse_line(std::string_view text, std::size_t max_values) {
  Line line;
  LineHandler handler(line, max_values);
  const bool is_parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  if (!is_parsed && line.problem.empty()) {
    line.problem = "not valid JSON";
  }
  return line;
}

std::string describe(const Scalar& scalar) {
  if (std::holds_alternative<std::monostate>(scalar)) {
    return "null";
  }
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    return "the text '" + excerpt(*text) + "'";
  }
  return canonical_text(scalar);
}

std::string canonical_text(const Scalar& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar)) {
    return *flag ? "true" : "false";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return std::to_string(*integer);
  }
  if (const auto* real = std::get_if<double>(&scalar)) {
    return format_double(*real);
  }
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    return *text;
  }
  return "";
}

}  // namespace scalestudy::protocol
