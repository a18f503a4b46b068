// Finds JSON in the text around it, also with the numbers that JSON does not have.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace scalestudy {

// An object or array cut out of a text.
struct JsonPiece {
  // With NaN, Infinity, -Infinity and 1e400 in quotes, so that a parser takes it.
  std::string text;
  std::size_t end = 0;  // where the text goes on behind it
};

// Takes the object or array that begins at `begin`, up to the bracket that closes it. Absent if
// none does. Brackets are counted outside strings; whether it is JSON is for a parser to say.
std::optional<JsonPiece> take_json(std::string_view text, std::size_t begin);

// Whether the brace at `begin` opens what cannot be meant as anything but a JSON object: {"
bool begins_as_object(std::string_view text, std::size_t begin);

// Calls `use` with each object or array of the text that begins a line, whole however many lines it
// has, and with the line in which it begins, from 1. One that begins as an object and does not end
// is given up to the end of the text. Returns the line after which nothing was read, because many
// brackets before it are never closed; 0 if all was.
std::size_t for_each_document(std::string_view text,
                              const std::function<void(std::string_view, std::size_t)>& use);

}  // namespace scalestudy
