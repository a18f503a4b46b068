// The secrets of stored studies.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace scalestudy {

// The texts of studies, as they are and as sessions ran them, by what tells the studies apart.
using StudyTexts = std::map<std::string, std::set<std::string>>;

// The values that these studies mark as secret, each once; see secret_values(). What one text
// of a study marks is secret in all of them. A text that is no study has none.
std::vector<std::string> secrets_of_texts(const StudyTexts& studies);

}  // namespace scalestudy
