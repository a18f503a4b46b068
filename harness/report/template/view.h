// The values of a template's tags: names with a text, a flag or a list of views. The tags are
// listed by the sections; numbers are texts, already rounded and scaled.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace scalestudy::report {

class View {
 public:
  using List = std::vector<View>;
  using Value = std::variant<bool, std::string, List>;

  // Sets a text; an empty one counts as absent, so that {{^name}} holds.
  void set_text(const std::string& name, std::string text);

  void set_flag(const std::string& name, bool flag);

  // Sets a list, and the flag "has_<name>" that says whether it has rows.
  void set_list(const std::string& name, List rows);

  // Puts what `changed` makes of it in place of each text, also of those in lists.
  void change_texts(const std::function<std::string(const std::string&)>& changed);

  const std::map<std::string, Value>& values() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

// The text or the list of that name; empty where it is absent.
std::string text_of(const View& view, const std::string& name);
View::List list_of(const View& view, const std::string& name);

}  // namespace scalestudy::report
