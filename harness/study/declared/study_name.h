// What a study may be called.
#pragma once

#include <algorithm>
#include <string_view>

namespace scalestudy {

// Whether `name` may be a study's: lower-case letters, digits and -, at most 64, a letter or digit
// first. It names files and folders, so no other name is accepted from a file, store or export.
inline bool is_study_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

}  // namespace scalestudy
