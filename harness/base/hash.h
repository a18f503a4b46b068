// The hash by which this program knows texts again: not cryptographic, for one's own files.
#pragma once

#include <string>
#include <string_view>

namespace scalestudy {

// 16 hexadecimal digits (XXH3, 64 bits); the same on every machine.
std::string text_hash(std::string_view text);

// Whether it looks like one.
bool is_text_hash(std::string_view text);

// 16 hexadecimal digits that nobody else gets: a name for what is known on other machines too.
std::string random_uid();

}  // namespace scalestudy
