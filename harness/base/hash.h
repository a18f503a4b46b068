// Hashes that identify texts, and random ids. Not cryptographic: for a user's own files.
#pragma once

#include <string>
#include <string_view>

namespace scalestudy {

// 16 hexadecimal digits (XXH3, 64 bits); the same on every machine.
std::string text_hash(std::string_view text);

// Whether a text has the form of text_hash()'s result.
bool is_text_hash(std::string_view text);

// 16 random hexadecimal digits: an id that is unique across machines.
std::string random_uid();

}  // namespace scalestudy
