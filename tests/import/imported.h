// Imports the files of tests/import/data, and texts that differ from them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/import/import.h"
#include "tests/support/program.h"

namespace scalestudy::test {

inline std::string data_file(const std::string& name) {
  return SCALESTUDY_SOURCE_DIR "/tests/import/data/" + name;
}

// Imports a file that has one source, and returns it.
inline ImportedSource import_file(const std::string& path,
                                  const std::vector<std::string>& column_map = {}) {
  return read_import({path, std::nullopt, column_map}).at(0);
}

// Imports a text, written to a file called input.txt, and returns its only source.
inline ImportedSource import_text(const std::string& text,
                                  const std::vector<std::string>& column_map = {}) {
  const TemporaryFolder folder;
  write_file(folder.file("input.txt"), text);
  return import_file(folder.file("input.txt"), column_map);
}

// Imports a dataset of the repository under assumptions.
inline PublicationRow import_assuming(const std::string& path,
                                      const std::vector<std::string>& assumed) {
  return read_import({path, std::nullopt, {}, assumed}).at(0).publication;
}

// The message of importing the text, the path of its folder left out.
inline std::string problem_of(const std::string& text,
                              std::optional<PublicationKind> kind = std::nullopt,
                              const std::vector<std::string>& column_map = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.file("input.txt");
  write_file(path, text);
  std::string message;
  try {
    read_import({path, kind, column_map});
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
    message.erase(at, prefix.size());
  }
  return message;
}

// The data file with one text replaced.
inline std::string changed(const std::string& name,
                           const std::string& from,
                           const std::string& to) {
  std::string text = read_file(data_file(name));
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::logic_error(name + " does not hold " + from);
  }
  return text.replace(at, from.size(), to);
}

// A figure by table ("" for one of the text), row and column.
inline PublishedFigureRow figure(const PublicationRow& publication,
                                 const std::string& table,
                                 std::optional<std::int64_t> row,
                                 const std::string& column) {
  const auto found = std::find_if(
      publication.figures.begin(), publication.figures.end(), [&](const PublishedFigureRow& entry) {
        return entry.table_name == table && entry.row == row && entry.column_name == column;
      });
  if (found == publication.figures.end()) {
    throw std::logic_error("no figure " + column + " in " + table);
  }
  return *found;
}

}  // namespace scalestudy::test
