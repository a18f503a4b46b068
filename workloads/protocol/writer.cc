#include "workloads/protocol/writer.h"

#include <cerrno>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>

#include "workloads/protocol/names.h"

namespace scalestudy::protocol {
namespace {

// A JSON string; bytes that are no UTF-8 (a path in an error message) become U+FFFD.
std::string quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number(double value, const std::string& where) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(where + " is not a finite number");
  }
  return format_double(value);
}

const std::string& name(const std::string& text, const char* what) {
  if (!is_name(text)) {
    throw std::invalid_argument(
        std::string(what) + " '" + text +
        "' is not a name: a letter, then letters, digits, '_', '.' and '-'");
  }
  return text;
}

// {"name":value,...} of a map; `format` makes the JSON text of one value.
template <typename Map, typename Format>
std::string object(const Map& map, const char* what, const Format& format) {
  std::string text = "{";
  for (const auto& [key, value] : map) {
    text += text.size() > 1 ? "," : "";
    text += quote(name(key, what)) + ':' + format(key, value);
  }
  return text + '}';
}

std::string format_text(const std::string& /*key*/, const std::string& value) {
  return quote(value);
}

std::string format_facts(const std::map<std::string, double>& facts) {
  return object(facts, "fact", [](const std::string& key, double value) {
    return number(value, "fact " + key);
  });
}

std::string format_body(const Start& start) {
  if (start.ranks < 1) {
    throw std::invalid_argument("start: ranks is " + std::to_string(start.ranks) + ", at least 1");
  }
  return R"("start","workload":)" + quote(name(start.workload, "workload")) +
         ",\"ranks\":" + std::to_string(start.ranks) +
         ",\"parameters\":" + object(start.parameters, "parameter", format_text) +
         ",\"facts\":" + format_facts(start.facts) +
         ",\"versions\":" + object(start.versions, "version", format_text);
}

std::string format_body(const Phase& phase) {
  return R"("phase","name":)" + quote(name(phase.name, "phase"));
}

std::string format_body(const Samples& samples) {
  const std::string& metric = name(samples.metric, "metric");
  if (!is_unit(samples.unit)) {
    throw std::invalid_argument("metric " + metric + ": '" + samples.unit + "' is not a unit");
  }
  if (is_time_metric(metric) && samples.unit != "s") {
    throw std::invalid_argument("metric " + metric + ": in '" + samples.unit + "', not in s");
  }
  if (const std::string problem = find_window_problem(samples); !problem.empty()) {
    throw std::invalid_argument(problem);
  }
  if (samples.values.empty() || samples.warmup < 0 ||
      static_cast<std::size_t>(samples.warmup) > samples.values.size()) {
    throw std::invalid_argument("metric " + metric + ": " + std::to_string(samples.warmup) +
                                " warm-up values of " + std::to_string(samples.values.size()));
  }
  std::string text = R"("samples","metric":)" + quote(metric) + ",\"unit\":" + quote(samples.unit);
  if (samples.rank) {
    if (*samples.rank < 0) {
      throw std::invalid_argument("metric " + metric + ": negative rank");
    }
    text += ",\"rank\":" + std::to_string(*samples.rank);
  }
  text += ",\"warmup\":" + std::to_string(samples.warmup) + ",\"values\":[";
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    if (!std::isfinite(samples.values[i])) {
      throw std::invalid_argument("metric " + metric + ": values[" + std::to_string(i) +
                                  "] is not a finite number");
    }
    text += (i == 0 ? "" : ",") + format_double(samples.values[i]);
  }
  return text + ']';
}

std::string format_body(const Check& check) {
  return R"("check","name":)" + quote(name(check.name, "check")) +
         ",\"passed\":" + (check.passed ? "true" : "false") + ",\"detail\":" + quote(check.detail);
}

std::string format_body(const End& end) {
  return std::string(R"("end","ok":)") + (end.ok ? "true" : "false") +
         ",\"message\":" + quote(end.message) +
         (end.facts.empty() ? "" : ",\"facts\":" + format_facts(end.facts));
}

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::generic_category().message(errno));
}

using File = std::unique_ptr<std::FILE, FileCloser>;

// Several processes may write: each line goes behind what is there.
File open_file(const std::string& path, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
  if (file < 0) {
    fail("cannot write trial output " + path);
  }
  return File(fdopen(file, "a"));
}

void put(const File& file, const std::string& lines) {
  if (std::fwrite(lines.data(), 1, lines.size(), file.get()) != lines.size() ||
      std::fflush(file.get()) != 0) {
    fail("cannot write trial output");
  }
}

}  // namespace

void FileCloser::operator()(std::FILE* file) const {
  if (file != stdout) {
    std::fclose(file);  // nothing is lost here: every write was flushed and checked
  }
}

Writer::Writer(const std::string& path)
    : file_(path == "-" ? File(stdout) : open_file(path, O_CREAT | O_TRUNC)) {}

void Writer::write(const Event& event) {
  put(file_, format_event(event) + '\n');
}

void end_failed(const std::string& path, const std::optional<Check>& check, const End& end) {
  const File file = open_file(path, 0);
  flock(fileno(file.get()), LOCK_EX);  // until it is closed: one of several ranks writes
  std::ifstream written(path);
  for (std::string line; std::getline(written, line);) {
    if (written.eof()) {
      throw std::runtime_error("the record breaks off in the middle of a line");
    }
    if (line.find(R"("event":"end")") != std::string::npos) {
      return;
    }
  }
  if (written.bad()) {
    throw std::runtime_error("the record cannot be read to its end: " + path);
  }
  put(file, (check ? format_event(*check) + '\n' : "") + format_event(end) + '\n');
}

std::string format_event(const Event& event) {
  return R"({"v":)" + std::to_string(kProtocolVersion) + R"(,"event":)" +
         std::visit([](const auto& body) { return format_body(body); }, event) + '}';
}

std::string format_parameters(const std::map<std::string, ParameterValue>& parameters) {
  return object(parameters, "parameter", [](const std::string& key, const ParameterValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
      return std::string(*flag ? "true" : "false");
    }
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      return std::to_string(*integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
      return number(*real, "parameter " + key);
    }
    return quote(std::get<std::string>(value));
  });
}

}  // namespace scalestudy::protocol
