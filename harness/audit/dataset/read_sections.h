// The parts of dataset.yaml: a function for an item of each list, and what these functions share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/audit/dataset/read_declaration.h"

namespace scalestudy::audit {

enum class NameRule {
  kSql,    // tables and columns: a lower-case letter, then letters, digits and _
  kPlain,  // datasets and statements: lower-case letters, digits and -
  kFile,   // a CSV file of the same folder
};

// The text of a required key that must be a name by `rule`; empty if the key is missing.
std::string read_name(Fields& fields, const std::string& key, NameRule rule);

// `keys` followed by kDeclarationKeys.
std::vector<std::string> with_declaration(std::vector<std::string> keys);

// Whether no item has that name yet.
template <typename Item>
bool is_new_name(const std::vector<Item>& items,
                 const std::string& name,
                 std::string Item::*member) {
  return std::none_of(
      items.begin(), items.end(), [&](const Item& item) { return item.*member == name; });
}

// Reads one item of `tables` and its CSV file, whose problems are formatted into `file_problems`.
void read_table(const YamlNode& node,
                std::size_t index,
                ReadContext& context,
                std::vector<std::string>& file_problems);

// Reads one item of `statements`, after all tables.
void read_statement(const YamlNode& node, std::size_t index, ReadContext& context);

}  // namespace scalestudy::audit
