// Tells the kind, reads the file or folder, and says where the rows came from.
#include "harness/import/import.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/read_file.h"
#include "harness/import/assumptions.h"
#include "harness/import/publication.h"
#include "harness/import/readers.h"
#include "harness/text/text.h"
#include "harness/yaml/yaml_tree.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A log may begin with a line of JSON: then text follows that is none.
bool is_json(const std::string& text) {
  constexpr std::string_view blanks = " \t\r\n\xEF\xBB\xBF";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos || text[first] != '{') {
    return false;
  }
  const std::size_t line_end = std::min(text.find('\n', first), text.size());
  const bool is_object_line = text.find_last_not_of(blanks, line_end - 1) != std::string::npos &&
                              text[text.find_last_not_of(blanks, line_end - 1)] == '}';
  return !is_object_line || text.find_first_not_of(blanks, line_end) == std::string::npos;
}

constexpr std::string_view kHyperfineHead = "command,mean,stddev,median,user,system,min,max";

// By words that each tool writes early, so that a file that is cut off is known too.
std::optional<PublicationKind> guess_kind(const ImportRequest& request, const std::string& text) {
  if (is_json(text)) {
    if (has(text, "\"nccl_version\"")) {
      return PublicationKind::kNcclTests;
    }
    if (has(text, "\"command\"") && has(text, "\"mean\"")) {
      return PublicationKind::kHyperfine;
    }
    return std::nullopt;
  }
  if (request.column_map.empty() && text.starts_with(kHyperfineHead)) {
    return PublicationKind::kHyperfine;
  }
  if (!request.column_map.empty() || fs::path(request.path).extension() == ".csv") {
    return PublicationKind::kCsv;
  }
  if (has(text, "algbw") && has(text, "busbw")) {
    return PublicationKind::kNcclTests;
  }
  return std::nullopt;
}

void refuse_map(const ImportRequest& request) {
  if (!request.column_map.empty()) {
    throw Error(
        ErrorKind::kUsage,
        request.path + ": --map is for CSV files; what the columns of other kinds are is known");
  }
}

// The same for every way to write it, so that an import is known again.
std::string absolute_path(const fs::path& path) {
  return fs::absolute(path).lexically_normal().string();
}

ImportedSource read_dataset(const fs::path& folder) {
  const audit::Dataset dataset = audit::load_dataset(folder);
  std::vector<std::string> files{(folder / "dataset.yaml").string()};
  for (const audit::Table& table : dataset.tables) {
    files.push_back(table.rows.empty() ? "" : table.rows.front().front().place.file);
  }
  std::string content;
  for (const std::string& file : files) {
    const std::string text = file.empty() ? "" : read_given_file(file);
    content += fmt::format("{}\n", text.size()) + text;
  }
  ImportedSource source;
  source.publication = make_publication(dataset);
  source.publication.source = dataset.name;
  source.publication.kind = PublicationKind::kDataset;
  source.publication.path = absolute_path(folder);
  source.publication.hash = text_hash(content);
  return source;
}

std::vector<ImportedSource> read_datasets(const ImportRequest& request) {
  refuse_map(request);
  const fs::path path(request.path);
  const std::string folder =
      path.filename() == "dataset.yaml" ? (path.parent_path() / ".").string() : request.path;
  std::vector<ImportedSource> sources;
  for (const fs::path& found : audit::dataset_folders({folder})) {
    sources.push_back(read_dataset(found));
  }
  return sources;
}

void read_file(PublicationKind kind,
               const ImportRequest& request,
               const std::string& text,
               ImportReading& reading) {
  if (!is_utf8(text)) {
    reading.problems.push_back({0, 0, "this is not UTF-8 text"});
  } else if (kind == PublicationKind::kCsv) {
    read_mapped_csv(text, request.column_map, reading);
  } else if (kind == PublicationKind::kHyperfine) {
    text.starts_with(kHyperfineHead) ? read_hyperfine_csv(text, reading)
                                     : read_hyperfine(text, reading);
  } else if (is_json(text)) {
    read_nccl_json(text, reading);
  } else {
    read_nccl_text(text, reading);
  }
}

std::string title_of(PublicationKind kind, const audit::Dataset& dataset) {
  std::vector<std::string> tables;
  for (const audit::Table& table : dataset.tables) {
    tables.push_back(table.name);
  }
  return kind == PublicationKind::kNcclTests   ? "nccl-tests: " + join(tables, ", ")
         : kind == PublicationKind::kHyperfine ? "hyperfine"
                                               : "a CSV file";
}

PublicationKind kind_of(const ImportRequest& request, const std::string& text) {
  const std::optional<PublicationKind> kind =
      request.kind ? request.kind : guess_kind(request, text);
  if (!kind) {
    throw Error(ErrorKind::kUsage,
                request.path +
                    ": cannot tell what this is; say --as published-dataset, nccl-tests, "
                    "hyperfine or csv (a CSV file needs --map column=quantity too)");
  }
  if (kind != PublicationKind::kCsv) {
    refuse_map(request);
  }
  return *kind;
}

ImportedSource read_tool_file(const ImportRequest& request) {
  const std::string text = read_given_file(request.path);
  const PublicationKind kind = kind_of(request, text);
  audit::Dataset dataset;
  std::vector<Problem> problems;
  ImportedSource source;
  ImportReading reading{dataset, problems, source.notes, request.path};
  read_file(kind, request, text, reading);
  if (!problems.empty()) {
    throw Error(ErrorKind::kUsage, format_problems(problems, text, request.path));
  }
  dataset.title = title_of(kind, dataset);
  dataset.source.document = request.path;
  source.publication = make_publication(dataset);
  source.publication.kind = kind;
  source.publication.source = fs::path(request.path).filename().string();
  source.publication.path = absolute_path(request.path);
  const std::string reading_of =
      kind == PublicationKind::kNcclTests ? fmt::format("reading {}\n", kNcclReading) : "";
  source.publication.hash = text_hash(reading_of + join(request.column_map, "\n") + "\n" + text);
  return source;
}

void add_assumptions(const std::vector<Assumption>& assumptions,
                     std::vector<ImportedSource>& sources) {
  std::vector<std::size_t> total(assumptions.size());
  for (ImportedSource& source : sources) {
    const std::vector<std::size_t> counts = assume(assumptions, source.publication);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      total[i] += counts[i];
      if (counts[i] > 0) {
        source.notes.push_back(fmt::format("assumed for {} figure{}: {}",
                                           counts[i],
                                           counts[i] == 1 ? "" : "s",
                                           assumptions[i].text));
        source.publication.hash =
            text_hash(source.publication.hash + "\n" + assumptions[i].text);  // read another way
      }
    }
  }
  for (std::size_t i = 0; i < assumptions.size(); ++i) {
    if (total[i] == 0) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("--assume {}: no figure belongs to a table, column, experiment or row {}",
                      assumptions[i].text,
                      join(assumptions[i].where, "/")));
    }
  }
}

}  // namespace

std::vector<ImportedSource> read_import(const ImportRequest& request) {
  const std::vector<Assumption> assumptions = parse_assumptions(request.assumed);
  std::error_code ignored;
  const bool looks_like_dataset = fs::is_directory(request.path, ignored) ||
                                  fs::path(request.path).filename() == "dataset.yaml";
  const bool is_dataset =
      request.kind ? request.kind == PublicationKind::kDataset : looks_like_dataset;
  std::vector<ImportedSource> sources =
      is_dataset ? read_datasets(request) : std::vector{read_tool_file(request)};
  add_assumptions(assumptions, sources);
  return sources;
}

}  // namespace scalestudy
