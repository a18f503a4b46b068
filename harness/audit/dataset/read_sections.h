// The parts of dataset.yaml: one function a list's item, and what they share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/audit/dataset/read_declaration.h"

namespace scalestudy::audit {

enum class NameRule {
  kSql,    // tables and columns: a lower-case letter, then letters, digits and _
  kPlain,  // datasets and statements: lower-case letters, digits and -
  kFile,   // a CSV file of the same folder
};

// The text of a required key that must be such a name; empty when it is missing.
std::string read_name(Fields& fields, const std::string& key, NameRule rule);

// `keys` and those of a declaration.
std::vector<std::string> with_declaration(std::vector<std::string> keys);

// Whether no item has that name yet.
template <typename Item>
bool is_new_name(const std::vector<Item>& items,
                 const std::string& name,
                 std::string Item::*member) {
  return std::none_of(
      items.begin(), items.end(), [&](const Item& item) { return item.*member == name; });
}

// The whole file. Throws Error{kUsage} when it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

// One item of `tables` with its CSV file, whose problems are added to `file_problems`, formatted.
void read_table(const YamlNode& node,
                std::size_t index,
                ReadContext& context,
                std::vector<std::string>& file_problems);

// One item of `statements`; all tables are read before.
void read_statement(const YamlNode& node, std::size_t index, ReadContext& context);

}  // namespace scalestudy::audit
