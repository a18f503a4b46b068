// A name with values in it: "logs/{devices}-{batch_global}-{run}.log".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace scalestudy {

using NamedTexts = std::map<std::string, std::string>;  // text by name of a placeholder

class RunPattern {
 public:
  // - text: "{name}" stands for one or more characters without '/', '*' for any number of them.
  // - what: what the text is, for messages: "--from".
  // - throws: Error{kUsage} for a brace without its partner, or a name that can be none.
  RunPattern(const std::string& text, const std::string& what);

  // The names in braces, in order, each once.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool is_literal() const { return names_.empty() && !has_star_; }

  // Every way to read `text` as this pattern, in which `accepts` agrees to each value; at most two,
  // as more are no better. A name that stands twice has the same text at both places. No number of
  // the text is divided where the pattern has only names and stars: "16" is never 1 and a 6.
  using Accepts = std::function<bool(const std::string& name, const std::string& value)>;
  [[nodiscard]] std::vector<NamedTexts> readings(const std::string& text,
                                                 const Accepts& accepts) const;
  [[nodiscard]] bool matches(const std::string& text) const;  // also if that divides a number

 private:
  struct Part {
    enum class Kind { kLiteral, kStar, kName } kind = Kind::kLiteral;
    std::string text;  // literal, or name
  };
  struct Search;
  void search(std::size_t part, std::size_t at, Search& state) const;

  std::vector<Part> parts_;
  std::vector<std::string> names_;
  bool has_star_ = false;
};

// Paths of the regular files that the pattern matches, sorted. Folders that cannot be read have
// none.
std::vector<std::string> matching_files(const std::string& pattern);

}  // namespace scalestudy
