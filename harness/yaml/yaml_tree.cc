// Builds the tree from the YAML library's events; refuses what the library would let pass.
#include "harness/yaml/yaml_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace scalestudy {
namespace {

// Aliases can make a small file an enormous tree; no study needs this many values.
constexpr std::size_t kMaxNodes = 500'000;
constexpr std::size_t kMaxTextBytes = 8U << 20U;

constexpr const char* kTooLarge =
    "the file holds more than 500000 values (aliases count each time)";

// Thrown by the builder to leave the library's parse loop; never leaves this file.
class TooManyNodes : public std::exception {};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::vector<Problem>& problems) : problems_(problems) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(at(mark, YamlNode::Kind::kNull), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      problem(mark, "an alias inside the very thing it names has no value");
      add(at(mark, YamlNode::Kind::kNull), 0);
      return;
    }
    node_count_ += count_nodes(found->second);
    add(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = at(mark, YamlNode::Kind::kScalar);
    node.text = value;
    node.is_quoted = tag != "?";
    // An explicit tag says how to read the text; only !!str makes it text.
    if (tag.starts_with("tag:yaml.org,2002:") && tag != "tag:yaml.org,2002:str") {
      node.is_quoted = false;
    }
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& /*tag*/,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open_.push_back({at(mark, YamlNode::Kind::kSequence), anchor});
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string& /*tag*/,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open_.push_back({at(mark, YamlNode::Kind::kMap), anchor});
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
  };

  static YamlNode at(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  static std::size_t count_nodes(const YamlNode& node) {
    std::size_t count = 1 + node.keys.size();
    for (const YamlNode& item : node.items) {
      count += count_nodes(item);
    }
    return count;
  }

  void problem(const YAML::Mark& mark, const std::string& message) {
    problems_.push_back({mark.line + 1, mark.column + 1, message});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.node.is_map()) {
      check_keys(done.node);
    }
    add(std::move(done.node), done.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    if (++node_count_ > kMaxNodes) {
      throw TooManyNodes();
    }
    if (anchor != 0) {
      node_count_ += count_nodes(node);  // the copy counts: nested anchors copy again and again
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = open_.back().node;
    const bool is_key = parent.is_map() && parent.keys.size() == parent.items.size();
    if (node.is_null() && parent.is_map() && !is_key) {
      // Nothing has no place of its own; the library gives that of whatever comes next.
      node.line = parent.keys.back().line;
      node.column = parent.keys.back().column;
    }
    (is_key ? parent.keys : parent.items).push_back(std::move(node));
  }

  // Drops bad entries after reporting them, so that what follows sees a sound map.
  void check_keys(YamlNode& map) {
    std::map<std::string, int> seen;
    YamlNode kept = map;
    kept.keys.clear();
    kept.items.clear();
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      YamlNode& key = map.keys[i];
      std::string message;
      if (!key.is_scalar()) {
        message = "a key must be plain text";
      } else if (key.text == "<<" && !key.is_quoted) {
        message =
            "merge keys (<<) are not supported; repeat the keys, or use an alias for a whole value";
      } else if (const auto [earlier, is_new] = seen.emplace(key.text, key.line); !is_new) {
        message = fmt::format("\"{}\" is given twice; first on line {}", key.text, earlier->second);
      }
      if (!message.empty()) {
        problems_.push_back({key.line, key.column, message});
        continue;
      }
      kept.keys.push_back(std::move(key));
      kept.items.push_back(std::move(map.items[i]));
    }
    map = std::move(kept);
  }

  std::vector<Problem>& problems_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t node_count_ = 0;
};

// Length of the UTF-8 sequence that starts at `text[at]`, 0 when it is none. RFC 3629, section 4.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto is_tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(at);
  const unsigned second = byte(at + 1);
  if (first < 0x80U) {
    return 1;
  }
  if (first >= 0xC2U && first <= 0xDFU && is_tail(at + 1)) {
    return 2;
  }
  if ((first & 0xF0U) == 0xE0U && is_tail(at + 1) && is_tail(at + 2)) {
    const bool is_overlong = first == 0xE0U && second < 0xA0U;
    const bool is_surrogate = first == 0xEDU && second > 0x9FU;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  if (first >= 0xF0U && first <= 0xF4U && is_tail(at + 1) && is_tail(at + 2) && is_tail(at + 3)) {
    const bool is_overlong = first == 0xF0U && second < 0x90U;
    const bool is_beyond = first == 0xF4U && second > 0x8FU;
    return is_overlong || is_beyond ? 0 : 4;
  }
  return 0;
}

// Whether the bytes are text at all; the first offence becomes a problem.
bool is_text(const std::string& text, std::vector<Problem>& problems) {
  if (text.size() > kMaxTextBytes) {
    problems.push_back({0, 0, "the file is larger than 8 MiB"});
    return false;
  }
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    const bool is_control =
        (byte < 0x20U && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7FU;
    if (length == 0 || is_control) {
      problems.push_back({line,
                          static_cast<int>(i - line_start) + 1,
                          fmt::format("byte 0x{:02x} is not {}; write the file as UTF-8 text",
                                      byte,
                                      is_control ? "text" : "UTF-8")});
      return false;
    }
    i += length;
    if (byte == '\n') {
      ++line;
      line_start = i;
    }
  }
  return true;
}

// The first tab before the text of a line, of the lines up to `last` (from 1), which the library
// calls an illegal value of a map, or no end of one. Absent where there is none.
std::optional<Problem> find_tab(const std::string& text, int last) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; number <= last && std::getline(lines, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t tab = line.find('\t');
    if (begin != std::string::npos && line[begin] != '#' && tab < begin) {
      return Problem{number, static_cast<int>(tab) + 1, "a tab; YAML indents with spaces"};
    }
  }
  return std::nullopt;
}

void emit(YAML::Emitter& out, const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      out << YAML::Null;
      return;
    case YamlNode::Kind::kScalar:
      // The parser takes a carriage return before a line's end as part of that end.
      if (node.is_quoted || node.text.find('\r') != std::string::npos) {
        out << YAML::DoubleQuoted;
      }
      out << node.text;
      return;
    case YamlNode::Kind::kSequence:
      out << YAML::Flow << YAML::BeginSeq;
      for (const YamlNode& item : node.items) {
        emit(out, item);
      }
      out << YAML::EndSeq;
      return;
    case YamlNode::Kind::kMap:
      out << YAML::BeginMap;
      for (std::size_t i = 0; i < node.keys.size(); ++i) {
        out << YAML::Key;
        emit(out, node.keys[i]);
        out << YAML::Value;
        emit(out, node.items[i]);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

const YamlNode* YamlNode::find(const std::string& key) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const YamlNode& k) { return k.text == key; });
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

YamlNode* YamlNode::find(const std::string& key) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): this object is not const here
  return const_cast<YamlNode*>(static_cast<const YamlNode*>(this)->find(key));
}

YamlNode parse_yaml(const std::string& text, std::vector<Problem>& problems) {
  if (!is_text(text, problems)) {
    return {};
  }
  TreeBuilder builder(problems);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      return {};
    }
    YamlNode root = builder.take_root();
    std::vector<Problem> ignored;
    TreeBuilder rest(ignored);
    if (parser.HandleNextDocument(rest)) {
      problems.push_back(
          {0, 0, "the file holds more than one document (---); one file, one study"});
    }
    return root;
  } catch (const YAML::DeepRecursion& error) {
    problems.push_back({error.mark.line + 1, error.mark.column + 1, "nested too deeply"});
  } catch (const YAML::Exception& error) {
    const auto tab = find_tab(text, error.mark.line + 1);
    problems.push_back(tab ? *tab
                           : Problem{error.mark.line + 1,
                                     error.mark.column + 1,
                                     "this is not valid YAML: " + error.msg});
  } catch (const TooManyNodes&) {
    problems.push_back({0, 0, kTooLarge});
  }
  return {};
}

bool is_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      return false;
    }
    i += length;
  }
  return true;
}

std::string spelling_of(const YamlNode& scalar, const std::string& text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::size_t at = 0;
  for (int line = 1; line < scalar.line && at < text.size(); ++line) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  at += static_cast<std::size_t>(scalar.column - 1);
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {  // anchor and tag
    at = text.find_first_not_of(blanks, text.find_first_of(blanks, at));
  }
  if (at >= text.size()) {
    return "";
  }
  if (text[at] == '"' || text[at] == '\'') {
    const char quote = text[at++];
    std::size_t end = at;
    while (end < text.size() && (text[end] != quote || (quote == '\'' && text[end + 1] == quote))) {
      end += text[end] == (quote == '"' ? '\\' : quote) ? 2 : 1;
    }
    return text.substr(at, end - at);
  }
  if (text[at] == '|' || text[at] == '>') {
    at = std::min(text.find_first_not_of(blanks, text.find('\n', at)), text.size());
  }
  std::size_t end = at;  // line ends and indents may be others than the scalar's
  for (const char c : scalar.text) {
    if (blanks.find(c) == std::string_view::npos) {
      end = std::min(text.find_first_not_of(blanks, end), text.size()) + 1;
    }
  }
  return text.substr(at, end - at);
}

std::string emit_yaml(const YamlNode& tree) {
  YAML::Emitter out;
  emit(out, tree);
  return std::string(out.c_str()) + "\n";
}

}  // namespace scalestudy
