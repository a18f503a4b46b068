// One YAML document as a plain tree that remembers where everything stood. Independent of the YAML
// library: nothing else in this room sees it.
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

  // The value of a key of a map, nullptr when there is none or this is no map.
  const YamlNode* find(const std::string& key) const;
  YamlNode* find(const std::string& key);
};

// Parses one document. Duplicate keys, merge keys (`<<`), keys that are not plain text, a second
// document, text that is not UTF-8 and a tree that is too large are problems: the library would
// keep or drop them in silence. Anchors, aliases and tags are resolved.
// With problems the tree holds what could be read.
YamlNode parse_yaml(const std::string& text, std::vector<Problem>& problems);

// Whether all of the text is UTF-8 (RFC 3629).
bool is_utf8(const std::string& text);

// The tree as YAML text that parses to an equal tree; comments and anchors are gone.
std::string emit_yaml(const YamlNode& tree);

// Applies "key=value" as described at parse_study. Returns what is wrong with it, empty when it was
// applied. The value `null` removes the key.
std::string apply_override(YamlNode& tree, const std::string& override_text);

}  // namespace scalestudy
