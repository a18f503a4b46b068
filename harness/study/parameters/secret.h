// Values that nothing shows: no report or table, no reason or log of a trial, no verb.
#pragma once

#include <string>
#include <vector>

#include "harness/study/declared/study.h"

namespace scalestudy {

// A shorter value stands everywhere: it cannot be told from other text.
inline constexpr std::size_t kLeastSecretCharacters = 4;

// What the environment variable `name` is in trials: its values that the study itself gives
// (`env`, also of a side, and env.NAME) and that of this process's environment.
std::vector<std::string> values_of_variable(const Study& study, const std::string& name);

// Of all the study's secrets, longest first, also as JSON and CSV write them; those of fewer than
// kLeastSecretCharacters left out.
std::vector<std::string> secret_values(const Study& study);

// `text` with "(secret)" wherever one of the values stands.
std::string masked(std::string text, const std::vector<std::string>& values);

}  // namespace scalestudy
