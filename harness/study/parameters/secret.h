// Values that are shown nowhere: in no report or table, no reason or log of a trial, by no verb.
#pragma once

#include <string>
#include <vector>

#include "harness/study/declared/study.h"

namespace scalestudy {

// Fewest characters of a value that is masked: a shorter one cannot be told from other text.
inline constexpr std::size_t kLeastSecretCharacters = 4;

// What stands in place of a secret in all that is shown or exported.
inline constexpr const char* kSecretMark = "(secret)";

// All values that the environment variable `name` has in trials: those that the study gives (`env`,
// also of a side, and env.NAME) and that of this process's environment.
std::vector<std::string> values_of_variable(const Study& study, const std::string& name);

// Values of all the study's secrets and their lines, each once, also as the study's text spells
// them, and as JSON, CSV, YAML and a shell write all of these. Values of fewer than
// kLeastSecretCharacters are left out, as are lines of fewer than eight.
std::vector<std::string> secret_values(const Study& study);

// A line "NAME SALT HASH" for each of the study's secrets that has a value in this process's
// environment: a later process can tell by it whether it knows the same value. "" for none.
std::string secret_prints(const Study& study);

// The names in such lines whose values are not among `values`, which secret_values() gave.
std::vector<std::string> unknown_secrets(const std::string& prints,
                                         const std::vector<std::string>& values);

// Gives secrets that the study's text lacks, since it was exported, their values in this process's
// environment. Its source_text stays as it is. Throws Error{kUsage} if that has none, and for a
// parameter.
void take_secrets(Study& study);

// Throws Error{kUsage} if a word that the study runs has kSecretMark in it, as in an export.
void require_whole_command(const Study& study);

// `text` with each occurrence of one of the values replaced by kSecretMark, the longest first.
std::string masked(std::string text, const std::vector<std::string>& values);

}  // namespace scalestudy
