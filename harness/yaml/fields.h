// Reads typed fields of one YAML map and collects what is wrong with them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/text/quantity.h"
#include "harness/text/words.h"
#include "harness/yaml/problem.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {

enum class Strictness {
  kNew,             // a file: everything is checked
  kStored,          // a stored text, checked when its trials ran: what is refused only now is taken
  kStoredAsBefore,  // and an amount in the unit of its extract rule is the number before the unit
};

// Collects problems. The message of a node that came from an override begins with its origin.
class ProblemList {
 public:
  explicit ProblemList(std::vector<Problem>& problems, Strictness strictness = Strictness::kNew)
      : problems_(problems), strictness_(strictness) {}

  // Reports a node that cannot be read at all.
  void add(const YamlNode& at, const std::string& message);

  // Reports a node that can be read but is not allowed. Returns whether to leave it out: true, but
  // for a stored text false, and nothing is reported.
  bool refuse(const YamlNode& at, const std::string& message);

  bool is_stored() const { return strictness_ != Strictness::kNew; }
  bool is_as_before() const { return strictness_ == Strictness::kStoredAsBefore; }

  bool empty() const { return problems_.empty(); }
  std::size_t size() const { return problems_.size(); }

 private:
  std::vector<Problem>& problems_;
  Strictness strictness_;
};

// The candidate closest to `word`, as " (did you mean "devices"?)"; empty if none is close.
std::string suggestion(const std::string& word, std::span<const std::string> candidates);

// "a mapping", "a list", "nothing" ...: what a node is, for messages.
std::string describe(const YamlNode& node);

// Whether an item of a list is one of these words; else reports it, called `what` ("a law").
bool is_word(const YamlNode& item,
             const std::string& what,
             const std::vector<std::string>& allowed,
             ProblemList& problems);

// One map with the keys it may have. Every getter reports a bad value once and then returns
// nothing, so that the caller keeps its default and goes on.
class Fields {
 public:
  // - name: how messages call this map, e.g. "trials" or "analysis.targets[2]".
  // - keys: all keys it may have; others are reported at once.
  Fields(const YamlNode& node,
         std::string name,
         const std::vector<std::string>& keys,
         ProblemList& problems);

  bool is_map() const { return node_.is_map(); }
  bool has(const std::string& key) const { return node_.find(key) != nullptr; }
  const YamlNode& node() const { return node_; }
  const YamlNode* find(const std::string& key) const { return node_.find(key); }

  // Reports a missing key. Returns whether it is there.
  bool require(const std::string& key);

  // Reports keys that make no sense, with the reason.
  void refuse(const std::vector<std::string>& keys, const std::string& reason);

  std::optional<std::string> text(const std::string& key);
  std::optional<std::string> day(const std::string& key);  // of the calendar: 2026-11-01
  std::optional<std::string> choice(const std::string& key,
                                    const std::vector<std::string>& allowed);
  template <Worded E>
  std::optional<E> word(const std::string& key) {
    const auto text = choice(key, words_of<E>());
    return text ? from_word<E>(*text) : std::nullopt;
  }
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t lo, std::int64_t hi);
  std::optional<double> number(const std::string& key);
  std::optional<double> positive_number(const std::string& key);
  std::optional<double> duration_s(const std::string& key);  // 1e-9 s or more
  std::optional<double> percent(const std::string& key);     // as a fraction
  std::optional<double> bytes(const std::string& key);       // > 0

  // The value as a map or list; reports anything else.
  const YamlNode* map(const std::string& key);
  const YamlNode* list(const std::string& key);

  // The key with the name of the map in front, for messages: "trials.count".
  std::string path(const std::string& key) const;
  bool problem(const std::string& key, const std::string& message);  // as ProblemList::refuse
  bool is_as_before() const { return problems_.is_as_before(); }

 private:
  const YamlNode* of_kind(const std::string& key, YamlNode::Kind kind, const std::string& what);
  const YamlNode* scalar(const std::string& key, const std::string& what);
  std::optional<double> quantity(const std::string& key, Quantity (*parse)(std::string_view));

  const YamlNode& node_;
  std::string name_;
  ProblemList& problems_;
};

}  // namespace scalestudy
