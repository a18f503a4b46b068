// One YAML document as a plain tree whose nodes know their place in the file. Only yaml_tree.cc
// sees the YAML library.
#pragma once

#include <string>
#include <vector>

#include "harness/yaml/problem.h"

namespace scalestudy {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  std::string text;             // scalar: its text
  bool is_quoted = false;       // scalar: written in quotes or tagged !!str, so it is text
  std::vector<YamlNode> keys;   // map: scalars, parallel to items
  std::vector<YamlNode> items;  // map: values; sequence: elements
  int line = 0;                 // from 1; 0: from an override, not from the file
  int column = 0;               // from 1, in bytes
  std::string origin;           // "--set trials.count=3" when line is 0

  bool is_map() const { return kind == Kind::kMap; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_null() const { return kind == Kind::kNull; }

  // The value of `key`; nullptr if the map has no such key, or the node is no map.
  const YamlNode* find(const std::string& key) const;
  YamlNode* find(const std::string& key);
};

// Parses one document. Duplicate keys, merge keys (`<<`), keys that are not plain text, a second
// document, text that is not UTF-8 and a tree that is too large are problems, because the library
// would keep or drop them silently. Anchors, aliases and tags are resolved.
// If there are problems, the tree holds what could be read.
YamlNode parse_yaml(const std::string& text, std::vector<Problem>& problems);

// Whether all of the text is UTF-8 (RFC 3629).
bool is_utf8(const std::string& text);

// A scalar of the tree that `text` parsed to, as the text spells it: without its quotes, with its
// escapes and line ends.
std::string spelling_of(const YamlNode& scalar, const std::string& text);

// The tree as YAML text that parses to an equal tree; comments and anchors are gone.
std::string emit_yaml(const YamlNode& tree);

// Applies an override "key=value" (study/parse.h, parse_study). The value `null` removes the key.
// Returns what is wrong with the override; empty if it was applied.
std::string apply_override(YamlNode& tree, const std::string& override_text);

}  // namespace scalestudy
