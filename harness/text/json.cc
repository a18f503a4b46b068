#include "harness/text/json.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace scalestudy {
namespace {

using Tree = nlohmann::ordered_json;

std::string scalar_text(const Tree& scalar) {
  return scalar.dump(-1, ' ', false, Tree::error_handler_t::replace);
}

JsonText json_of(const Tree& tree) {
  switch (tree.type()) {
    case Tree::value_t::object: {
      JsonText json = JsonText::object();
      for (const auto& [name, value] : tree.items()) {
        json[name] = json_of(value);
      }
      return json;
    }
    case Tree::value_t::array: {
      JsonText json = JsonText::list();
      for (const Tree& element : tree) {
        json.push_back(json_of(element));
      }
      return json;
    }
    case Tree::value_t::boolean:
      return tree.get<bool>();
    case Tree::value_t::number_integer:
      return tree.get<std::int64_t>();
    case Tree::value_t::number_unsigned:
      return tree.get<std::uint64_t>();
    case Tree::value_t::number_float:
      return tree.get<double>();
    case Tree::value_t::string:
      return tree.get_ref<const std::string&>();
    default:
      return {};
  }
}

// Where the number, word or string begins that ends at `last`.
std::size_t begin_of_token(std::string_view text, std::size_t last) {
  const auto is_of_word = [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '.' || letter == '+' || letter == '-';
  };
  if (text[last] == '"') {
    const std::size_t begin = last == 0 ? std::string_view::npos : text.rfind('"', last - 1);
    return begin == std::string_view::npos ? last : begin;
  }
  while (last > 0 && is_of_word(text[last]) && is_of_word(text[last - 1])) {
    --last;
  }
  return last;
}

// "'x'", "byte 0xC3".
std::string name_byte(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code > 0x20U && code < 0x7FU ? fmt::format("'{}'", byte)
                                      : fmt::format("byte 0x{:02X}", unsigned{code});
}

// "[json.exception.out_of_range.403] key 'a' not found" -> "key 'a' not found".
std::string words_of_error(const std::exception& error) {
  constexpr int number_overflow = 406;  // ids of the library's errors
  constexpr int wrong_type = 302;
  const std::string text = error.what();
  const std::string words =
      text.starts_with("[json.exception.") ? text.substr(text.find("] ") + 2) : text;
  if (const auto* range = dynamic_cast<const Tree::out_of_range*>(&error);
      range != nullptr && range->id == number_overflow) {
    return "the number " + words.substr(words.find('\'')) + " is too large";
  }
  const auto* type = dynamic_cast<const Tree::type_error*>(&error);
  return type == nullptr          ? words
         : type->id == wrong_type ? "a value's " + words  // "type must be number, but is string"
                                  : "a value is not the object that it must be";
}

}  // namespace

JsonText::JsonText(double value) : kind_(Kind::kScalar), text_(scalar_text(value)) {}

JsonText::JsonText(std::string_view value) : kind_(Kind::kScalar), text_(scalar_text(value)) {}

JsonText JsonText::list(std::vector<JsonText> elements) {
  JsonText json;
  json.kind_ = Kind::kList;
  for (JsonText& element : elements) {
    json.push_back(std::move(element));
  }
  return json;
}

JsonText JsonText::object(std::vector<Member> members) {
  JsonText json;
  json.kind_ = Kind::kObject;
  json.members_ = std::move(members);
  return json;
}

std::optional<JsonText> JsonText::parse(std::string_view text) {
  const Tree tree = Tree::parse(text, nullptr, /*allow_exceptions=*/false);
  return tree.is_discarded() ? std::nullopt : std::optional(json_of(tree));
}

JsonProblem json_problem(std::string_view text, const std::exception& error) {
  const auto* fault = dynamic_cast<const Tree::parse_error*>(&error);
  if (fault == nullptr) {
    return {1, 0, words_of_error(error)};
  }
  const std::size_t last = std::min(std::max<std::size_t>(fault->byte, 1) - 1, text.size());
  const std::size_t at = last == text.size() ? last : begin_of_token(text, last);
  const std::string_view before = text.substr(0, at);
  return {static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(at - (before.rfind('\n') + 1)) + 1,
          at == text.size() ? "the JSON ends here, before it is complete"
                            : "this is not valid JSON: unexpected " + name_byte(text[at])};
}

JsonText& JsonText::operator[](std::string_view name) {
  kind_ = kind_ == Kind::kNull ? Kind::kObject : kind_;
  if (kind_ != Kind::kObject) {
    throw std::logic_error("only objects have members");
  }
  const auto found = std::ranges::find(members_, name, &Member::first);
  return found == members_.end() ? members_.emplace_back(name, JsonText()).second : found->second;
}

void JsonText::push_back(JsonText element) {
  kind_ = kind_ == Kind::kNull ? Kind::kList : kind_;
  if (kind_ != Kind::kList) {
    throw std::logic_error("only lists have elements");
  }
  members_.emplace_back("", std::move(element));
}

std::string JsonText::dump(std::optional<int> indent) const {
  std::string text;
  append_to(text, indent, 0);
  return text;
}

void JsonText::append_to(std::string& text, std::optional<int> indent, int depth) const {
  if (kind_ == Kind::kNull || kind_ == Kind::kScalar) {
    text += text_;
    return;
  }
  const bool is_object = kind_ == Kind::kObject;
  const auto start_line = [&](int level) {
    if (indent && !members_.empty()) {
      text += "\n" + std::string(static_cast<std::size_t>(*indent * level), ' ');
    }
  };
  text += is_object ? "{" : "[";
  for (const Member& member : members_) {
    text += &member == &members_.front() ? "" : ",";
    start_line(depth + 1);
    if (is_object) {
      text += scalar_text(member.first) + (indent ? ": " : ":");
    }
    member.second.append_to(text, indent, depth + 1);
  }
  start_line(depth);
  text += is_object ? "}" : "]";
}

}  // namespace scalestudy
