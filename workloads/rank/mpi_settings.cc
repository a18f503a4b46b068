#include "workloads/rank/mpi_settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include <mpi.h>
#include <unistd.h>

#include "workloads/rank/error.h"

namespace scalestudy::rank {
namespace {

constexpr std::string_view kPrefix = "OMPI_MCA_";
constexpr const char* kDynamicRules = "coll_tuned_use_dynamic_rules";

// The tool interface, while this lives.
class ToolInterface {
 public:
  ToolInterface() {
    int provided = 0;
    // As run_program() asks for: Open MPI answers MPI_Query_thread() by the last call of either.
    MPI_CHECK(MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided));
  }
  ToolInterface(const ToolInterface&) = delete;
  ToolInterface& operator=(const ToolInterface&) = delete;
  ~ToolInterface() { MPI_T_finalize(); }
};

struct Value {
  std::string text;
  std::string name;  // of an enumerated value
};

template <typename T>
std::string read_number(MPI_T_cvar_handle handle) {
  T value{};
  MPI_CHECK(MPI_T_cvar_read(handle, &value));
  return std::to_string(value);
}

std::string read_text(MPI_T_cvar_handle handle, MPI_Datatype type, int count) {
  if (type == MPI_CHAR) {
    std::vector<char> text(static_cast<std::size_t>(count) + 1);
    MPI_CHECK(MPI_T_cvar_read(handle, text.data()));
    return text.data();
  }
  if (type == MPI_INT) {
    return read_number<int>(handle);
  }
  if (type == MPI_C_BOOL) {
    return read_number<bool>(handle);
  }
  if (type == MPI_UNSIGNED) {
    return read_number<unsigned>(handle);
  }
  if (type == MPI_UNSIGNED_LONG) {
    return read_number<unsigned long>(handle);
  }
  if (type == MPI_UNSIGNED_LONG_LONG) {
    return read_number<unsigned long long>(handle);
  }
  return read_number<double>(handle);
}

bool is_readable(MPI_Datatype type) {
  return type == MPI_CHAR || type == MPI_INT || type == MPI_C_BOOL || type == MPI_UNSIGNED ||
         type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG || type == MPI_DOUBLE;
}

// The word of an enumerated value.
std::string name_of(MPI_T_enum words, const std::string& value) {
  int count = 0;
  std::array<char, 256> name{};
  int length = static_cast<int>(name.size());
  if (words == MPI_T_ENUM_NULL ||
      MPI_T_enum_get_info(words, &count, name.data(), &length) != MPI_SUCCESS) {
    return "";
  }
  for (int i = 0; i < count; ++i) {
    int number = 0;
    length = static_cast<int>(name.size());
    if (MPI_T_enum_get_item(words, i, &number, name.data(), &length) == MPI_SUCCESS &&
        std::to_string(number) == value) {
      return name.data();
    }
  }
  return "";
}

// What MPI holds; nothing where it knows no such variable, or not for all of the process.
std::optional<Value> read_variable(const std::string& name) {
  int index = 0;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) {
    return std::nullopt;
  }
  std::array<char, 256> ignored{};
  int name_length = static_cast<int>(ignored.size());
  int text_length = 0;
  int verbosity = 0;
  int binding = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum words = MPI_T_ENUM_NULL;
  MPI_CHECK(MPI_T_cvar_get_info(index,
                                ignored.data(),
                                &name_length,
                                &verbosity,
                                &type,
                                &words,
                                nullptr,
                                &text_length,
                                &binding,
                                &scope));
  if (binding != MPI_T_BIND_NO_OBJECT || !is_readable(type)) {
    return std::nullopt;
  }
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  MPI_CHECK(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count));
  Value value{.text = read_text(handle, type, count), .name = {}};
  MPI_T_cvar_handle_free(&handle);
  value.name = name_of(words, value.text);
  return value;
}

// Operations that Open MPI makes of no others, so that their algorithms count only where ranks call
// them: a broadcast and a reduction may be parts of an all-reduce.
// source: Open MPI 4.1, ompi/mca/coll/base
constexpr auto kOfNoOther = std::to_array<std::string_view>({"allgather",
                                                             "allgatherv",
                                                             "allreduce",
                                                             "alltoall",
                                                             "alltoallv",
                                                             "exscan",
                                                             "reduce_scatter",
                                                             "reduce_scatter_block",
                                                             "scan"});

// The call whose algorithms a variable is about, if ranks that time `operations` do without it:
// "MPI_Iallreduce" for coll_libnbc_iallreduce_algorithm; else empty.
std::string untimed_call(const std::string& name, const std::set<std::string>& operations) {
  const std::size_t begin = std::string_view("coll_").size();
  const std::size_t at = name.find('_', begin) + 1;  // behind "coll_tuned_"
  const bool returns_at_once = !name.starts_with("coll_tuned_");
  const std::string call = name.substr(at, name.find("_algorithm", at) - at);
  const std::string operation =
      returns_at_once ? call.substr(std::min<std::size_t>(1, call.size())) : call;
  if (operations.contains(operation) ||
      std::ranges::find(kOfNoOther, operation) == kOfNoOther.end()) {
    return "";
  }
  return std::string("MPI_") +
         static_cast<char>(std::toupper(static_cast<unsigned char>(call.front()))) + call.substr(1);
}

// Why ranks that make such calls do without a variable of algorithms; empty where they do not.
// source: Open MPI 4.1, ompi/mca/coll/tuned has no operation that returns before it is done, and
// ompi/mca/coll/libnbc no other.
std::string disuse_of(const std::string& name,
                      Calls calls,
                      const std::set<std::string>& operations) {
  const bool is_tuned = name.starts_with("coll_tuned_");
  if ((!is_tuned && !name.starts_with("coll_libnbc_")) || name == kDynamicRules) {
    return "";
  }
  const std::string untimed = untimed_call(name, operations);
  switch (calls) {
    case Calls::kMessages:
      return "these ranks send messages from one to one, and sum nothing over all";
    case Calls::kNonBlocking:
      return is_tuned
                 ? "with this overlap ranks call MPI_Iallreduce and the like, of which Open MPI "
                   "chooses by coll_libnbc_...; overlap none and thread go by it"
             : untimed.empty() ? ""
                               : "these ranks time no " + untimed;
    case Calls::kBlocking:
      return !is_tuned         ? "ranks call MPI_Allreduce and the like; overlap poll goes by it"
             : untimed.empty() ? ""
                               : "these ranks time no " + untimed;
  }
  return "";
}

// Why Open MPI does not go by a variable of that name, though it holds it; empty where it does.
// source: Open MPI 4.1, ompi/mca/coll/tuned/coll_tuned_component.c: forced algorithms are looked at
// where dynamic rules are used.
std::string disregard_of(const std::string& name,
                         Calls calls,
                         const std::set<std::string>& operations) {
  std::string disuse = disuse_of(name, calls, operations);
  if (!disuse.empty() || !name.starts_with("coll_tuned_") || name == kDynamicRules) {
    return disuse;
  }
  const std::optional<Value> rules = read_variable(kDynamicRules);
  if (!rules || !is_same_setting("1", rules->text, rules->name)) {
    return std::string("Open MPI chooses by itself; set ") + std::string(kPrefix) + kDynamicRules +
           "=1";
  }
  const std::optional<Value> components = read_variable("coll");
  const std::string list = components ? components->text : "";
  const bool is_excluding = list.starts_with('^');
  const bool is_named = list.find("tuned") != std::string::npos;
  return list.empty() || is_excluding != is_named ? ""
                                                  : "Open MPI does without it: coll is " + list;
}

// An algorithm of 0, which leaves the choice to Open MPI as no dynamic rules do.
bool is_own_choice(const std::string& name, const Value& value) {
  return name.ends_with("_algorithm") && is_same_setting("0", value.text, value.name);
}

Setting read_setting(const std::string& name,
                     const std::string& asked,
                     Calls calls,
                     const std::set<std::string>& operations) {
  const std::optional<Value> value = read_variable(name);
  if (!value) {
    return {SettingState::kNotSeen, "not seen: this MPI has no such variable"};
  }
  const std::string found = value->text + (value->name.empty() ? "" : " (" + value->name + ")");
  if (!is_same_setting(asked, value->text, value->name)) {
    return {SettingState::kOverridden, "overridden: it is " + found};
  }
  if (const std::string why = disregard_of(name, calls, operations);
      !why.empty() && !is_own_choice(name, *value)) {
    return {SettingState::kOverridden, "overridden: " + why};
  }
  return {SettingState::kApplied, "applied: " + found};
}

bool is_about_messages(std::string_view name) {
  constexpr std::array<std::string_view, 4> frameworks = {"coll", "pml", "btl", "mpi"};
  return std::any_of(frameworks.begin(), frameworks.end(), [&](std::string_view framework) {
    return name.starts_with(framework) &&
           (name.size() == framework.size() || name[framework.size()] == '_');
  });
}

// Of this process's environment, with their values.
std::map<std::string, std::string> variables_of(std::string_view prefix) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (text.starts_with(prefix) && equals != std::string_view::npos) {
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    }
  }
  return variables;
}

std::optional<double> to_number(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

// Yes and no as a number.
std::string_view number_of_word(std::string_view text) {
  constexpr std::array<std::string_view, 4> yes = {"true", "yes", "enabled", "t"};
  constexpr std::array<std::string_view, 4> no = {"false", "no", "disabled", "f"};
  if (std::find(yes.begin(), yes.end(), text) != yes.end()) {
    return "1";
  }
  return std::find(no.begin(), no.end(), text) != no.end() ? "0" : text;
}

}  // namespace

bool is_same_setting(std::string_view asked, std::string_view found, std::string_view name) {
  if (asked == found || (!name.empty() && asked == name)) {
    return true;
  }
  const std::optional<double> number = to_number(number_of_word(asked));
  return number && number == to_number(number_of_word(found));
}

std::map<std::string, Setting> mpi_settings(Calls calls, const std::set<std::string>& operations) {
  std::map<std::string, Setting> settings;
  const ToolInterface tools;
  for (const auto& [variable, asked] : variables_of(kPrefix)) {
    const std::string name = variable.substr(kPrefix.size());
    if (is_about_messages(name)) {
      settings[variable] = read_setting(name, asked, calls, operations);
    }
  }
  return settings;
}

std::map<std::string, Setting> settings_without_nccl() {
  std::map<std::string, Setting> settings;
  for (const auto& [variable, asked] : variables_of("NCCL_")) {
    if (!variable.starts_with("NCCL_DEBUG")) {
      settings[variable] = {SettingState::kNotSeen,
                            "not seen: these ranks do not communicate by NCCL"};
    }
  }
  return settings;
}

std::map<std::string, Setting> settings_without_mpi(const std::string& means) {
  std::map<std::string, Setting> settings;
  for (const auto& [variable, asked] : variables_of(kPrefix)) {
    if (is_about_messages(variable.substr(kPrefix.size()))) {
      settings[variable] = {SettingState::kNotSeen,
                            "not seen: these ranks communicate by " + means};
    }
  }
  return settings;
}

void add_settings(const std::map<std::string, Setting>& settings,
                  std::map<std::string, double>& facts,
                  std::map<std::string, std::string>& versions) {
  for (const auto& [name, setting] : settings) {
    facts["setting." + name] = setting.state == SettingState::kApplied      ? 1.0
                               : setting.state == SettingState::kOverridden ? 0.0
                                                                            : -1.0;
    versions[name] = setting.found;
  }
}

}  // namespace scalestudy::rank
