#include "harness/exchange/export.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/store/lines.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/json.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFiles{"study.json",
                            "study.yaml",
                            "cells.jsonl",
                            "sessions.jsonl",
                            "trials.jsonl",
                            "series.jsonl",
                            "projections.jsonl",
                            "publications.jsonl"};  // of a study

// Lines that a line feed ends.
std::int64_t whole_lines(const std::string& text) {
  return std::ranges::count(text, '\n');
}

// ---- writing

void add_study(ExportFiles& files, const StudyContent& content) {
  const std::string folder = content.study.name + "/";
  files[folder + "study.json"] = format_study(content);
  files[folder + "study.yaml"] = content.study.source_text;
  for (const CellRow& cell : content.cells) {
    files[folder + "cells.jsonl"] += format_cell(cell);
  }
  for (const SessionContent& session : content.sessions) {
    files[folder + "sessions.jsonl"] += format_session(session);
  }
  for (const TrialContent& trial : content.trials) {
    files[folder + "trials.jsonl"] += format_trial(trial);
    for (const SeriesRow& row : trial.record.series) {
      files[folder + "series.jsonl"] += format_series(trial.record.trial.id, row);
    }
  }
  for (const ProjectionContent& projection : content.projections) {
    files[folder + "projections.jsonl"] += format_projection(projection);
  }
  for (const PublicationRow& publication : content.publications) {
    files[folder + "publications.jsonl"] += format_publication(publication);
  }
}

[[noreturn]] void fail_write(const fs::path& path, const std::error_code& error) {
  throw Error(ErrorKind::kStore, cannot_write(path, error.value()));
}

void write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  if (!create_private_folder(path.parent_path(), error)) {
    fail_write(path.parent_path(), error);
  }
  replace_file(path, text);
}

// ---- reading

// - column: 0 if the whole line is meant.
[[noreturn]] void refuse(const fs::path& path,
                         std::int64_t line,
                         const std::string& what,
                         int column = 0) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}:{}:{} {}. If the file was damaged or edited, copy the export again "
                          "or make it again with `scalestudy export`",
                          path.string(),
                          line,
                          column > 0 ? fmt::format("{}:", column) : "",
                          what));
}

// Refuses the file for what reading a part of it as JSON threw.
// - line: of the file, in which the part begins.
[[noreturn]] void refuse_json(const fs::path& path,
                              std::int64_t line,
                              const std::string& part,
                              const std::exception& error) {
  const JsonProblem problem = json_problem(part, error);
  refuse(path, line + problem.line - 1, problem.message, problem.column);
}

std::string require_file(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) {
    refuse(path, 1, why_unread(path));
  }
  return *text;
}

struct Source {
  fs::path folder;
  ExportIndex index;
};

// Refuses a file that is missing, was cut, or has lines of another export.
void require_all_lines(const Source& from, const std::string& name, std::int64_t lines) {
  const auto place = from.index.lines.find(name);
  const std::int64_t counted = place == from.index.lines.end() ? 0 : place->second;
  if (from.index.lines.empty() || counted == lines) {
    return;
  }
  std::error_code ignored;
  const fs::path path = from.folder / name;
  refuse(
      path,
      std::max<std::int64_t>(lines, 1),
      fs::exists(path, ignored)
          ? fmt::format(
                "it has {}, but export.json says {}", format_count(lines, "complete line"), counted)
          : fmt::format("there is no such file; export.json says that it has {}",
                        format_count(counted, "line")));
}

// Calls `use` with each line; without a file there are none.
void read_lines(const Source& from,
                const std::string& name,
                const std::function<void(const std::string&)>& use) {
  const fs::path path = from.folder / name;
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    refuse(path, 1, "no regular file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open() && fs::exists(path, ignored)) {
    refuse(path, 1, why_unread(path));
  }
  std::int64_t number = 0;
  std::int64_t whole = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    whole += file.eof() ? 0 : 1;
    try {
      use(line);
    } catch (const std::bad_alloc&) {
      throw;  // says nothing of the file
    } catch (const std::exception& error) {
      refuse_json(path, number, line, error);
    }
  }
  require_read(file, path.string());
  require_all_lines(from, name, whole);
}

template <typename Row>
void require_known(const Row& known, const std::string& what, const std::string& name) {
  if (!known.contains(name)) {
    throw std::out_of_range(fmt::format("there is no {} {}", what, name));
  }
}

void read_trials(const Source& from, const std::string& folder, StudyContent& content) {
  std::set<std::string> cells;
  std::set<std::string> sessions{""};
  for (const CellRow& cell : content.cells) {
    cells.insert(cell.hash);
  }
  for (const SessionContent& session : content.sessions) {
    sessions.insert(session.row.uid);
  }
  std::map<std::int64_t, std::size_t> places;
  read_lines(from, folder + "trials.jsonl", [&](const std::string& line) {
    TrialContent trial = parse_trial(line);
    require_known(cells, "cell", trial.cell);
    require_known(sessions, "session", trial.session);
    places.emplace(trial.record.trial.id, content.trials.size());
    content.trials.push_back(std::move(trial));
  });
  read_lines(from, folder + "series.jsonl", [&](const std::string& line) {
    auto [trial, row] = parse_series(line);
    const auto place = places.find(trial);
    if (place == places.end()) {
      throw std::out_of_range("there is no such trial");
    }
    content.trials[place->second].record.series.push_back(std::move(row));
  });
}

void read_projections(const Source& from, const std::string& folder, StudyContent& content) {
  std::set<AttemptName> attempts;
  for (const TrialContent& trial : content.trials) {
    attempts.insert(attempt_name(trial));
  }
  read_lines(from, folder + "projections.jsonl", [&](const std::string& line) {
    ProjectionContent projection = parse_projection(line);
    if (!std::ranges::all_of(projection.trials,
                             [&](const AttemptName& trial) { return attempts.contains(trial); })) {
      throw std::out_of_range("a trial that it rests on is not there");
    }
    content.projections.push_back(std::move(projection));
  });
}

// - folder: "demo/".
StudyContent read_study(const Source& from, const std::string& folder) {
  StudyContent content;
  const fs::path path = from.folder / (folder + "study.json");
  const std::string text = require_file(path);
  try {
    content = parse_study_row(text);
  } catch (const std::exception& error) {
    refuse_json(path, 1, text, error);
  }
  require_all_lines(from, folder + "study.json", whole_lines(text));
  content.study.source_text = require_file(from.folder / (folder + "study.yaml"));
  require_all_lines(from, folder + "study.yaml", whole_lines(content.study.source_text));
  read_lines(from, folder + "cells.jsonl", [&](const std::string& line) {
    content.cells.push_back(parse_cell(line));
  });
  read_lines(from, folder + "sessions.jsonl", [&](const std::string& line) {
    content.sessions.push_back(parse_session(line));
  });
  read_trials(from, folder, content);
  read_projections(from, folder, content);
  read_lines(from, folder + "publications.jsonl", [&](const std::string& line) {
    content.publications.push_back(parse_publication(line));
  });
  return content;
}

// Each study that it names is a folder of that name.
ExportIndex read_index(const fs::path& folder) {
  const fs::path path = folder / "export.json";
  const std::string text = require_file(path);
  ExportIndex index;
  try {
    index = parse_export_index(text);
  } catch (const std::exception& error) {
    refuse_json(path, 1, text, error);
  }
  for (const std::string& name : index.studies) {
    if (name.empty() || name == "." || name == ".." || fs::path(name).filename() != name) {
      refuse(path, 1, fmt::format("'{}' cannot be the name of a folder", name));
    }
  }
  return index;
}

}  // namespace

ExportFiles format_export(const StoreContent& content, const std::vector<std::string>& secrets) {
  ExportFiles files;
  ExportIndex index;
  for (const StudyContent& study : content.studies) {
    index.studies.push_back(study.study.name);
    add_study(files, study);
  }
  for (const PublicationRow& publication : content.publications) {
    files["publications.jsonl"] += format_publication(publication);
  }
  for (auto& [name, text] : files) {
    text = masked(std::move(text), secrets);
    index.lines[name] = whole_lines(text);
  }
  files["export.json"] = format_export_index(index);
  return files;
}

void write_export(const ExportFiles& files, const fs::path& folder) {
  std::error_code error;
  if (is_export(folder)) {
    for (const std::string& name : read_index(folder).studies) {
      for (const char* file : kFiles) {
        require_no_link(folder, fs::path(name) / file);
        fs::remove(folder / name / file, error);
      }
      fs::remove(folder / name, error);  // only when nothing else is in it
    }
    fs::remove(folder / "publications.jsonl", error);
  } else if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: holds something else than an export; give an empty or a new folder",
                    folder.string()));
  }
  for (const auto& [name, text] : files) {
    require_no_link(folder, name);
    write_file(folder / name, text);
  }
}

bool is_export(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "export.json", ignored);
}

StoreContent read_export(const fs::path& folder) {
  StoreContent content;
  const Source from{.folder = folder, .index = read_index(folder)};
  for (const std::string& name : from.index.studies) {
    content.studies.push_back(read_study(from, name + "/"));
    if (content.studies.back().study.name != name) {
      refuse(folder / name / "study.json", 1, fmt::format("its name is not {}", name));
    }
  }
  read_lines(from, "publications.jsonl", [&](const std::string& line) {
    content.publications.push_back(parse_publication(line));
  });
  return content;
}

}  // namespace scalestudy
