// Somebody's published tables and statements, as typed from the document. Format:
// data/published/FORMAT.md.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/figure/declaration.h"
#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

struct Column {
  std::string name;     // [a-z][a-z0-9_]*, also its name in SQL
  std::string heading;  // as printed; for people
  std::string guess;    // how `audit init` read it, until somebody confirms that; else empty
  Declaration declared;
  FilePlace place;
};

struct Cell {
  std::string label;  // the text of a cell in a column of labels; else empty
  Figure figure;      // the figure of a cell in any other column
  FilePlace place;
};

struct Table {
  std::string name;   // [a-z][a-z0-9_]*, also its name in SQL
  std::string where;  // section or lines of the document
  std::string experiment;
  Given fixed;           // conditions and figures shared by all rows
  Conditions total_row;  // which row holds the sums; empty: none
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each row parallel to columns
};

// A figure of the prose, a summary or a note.
struct Statement {
  std::string id;
  std::string where;
  std::string experiment;
  Figure figure;
  Declaration declared;
  std::optional<Optimum> optimum;
  std::vector<std::string> break_even_tables;  // tables whose measured range should hold the figure
  std::optional<Comparison> comparison;
  FilePlace place;
};

struct Source {
  std::string document;
  std::string author;
  std::string date;
  std::string url;
};

struct Dataset {
  std::string name;
  std::string title;
  Source source;
  std::string hardware;
  std::vector<Table> tables;
  std::vector<Statement> statements;
  std::filesystem::path folder;
};

// Reads FOLDER/dataset.yaml and the CSV files it names.
// Throws Error{kUsage} with every problem as "file:line:col: message", the line and a caret.
Dataset load_dataset(const std::filesystem::path& folder);

// The folders with a dataset.yaml among `paths`: each itself, or those directly below it, sorted.
// Throws Error{kUsage} for a path that is no folder or holds none.
std::vector<std::filesystem::path> dataset_folders(const std::vector<std::string>& paths);

// The table of that name; nullptr if there is none.
const Table* find_table(const Dataset& dataset, const std::string& name);

// The key of a column's cells in Conditions: its quantity, or its own name for free labels.
std::string condition_name(const Column& column);

// A figure's number as Conditions write it: shortest form, in base units.
std::string condition_text(const Figure& figure);

// The conditions of a row (index from 0): the table's fixed ones and the row's own.
Conditions row_conditions(const Table& table, std::size_t row);

// Whether `conditions` hold every key of `wanted` with the same value.
bool agree(const Conditions& conditions, const Conditions& wanted);

// One figure with everything known about it.
struct PrintedFigure {
  std::string table;   // empty for a statement
  int row = 0;         // from 1; 0 for a statement
  std::string column;  // column, or the id of a statement
  std::string where;   // section or lines of the document
  std::string quantity;
  std::string experiment;
  Conditions conditions;
  Figure figure;
  FilePlace place;
};

// Every figure of the dataset, tables first, row by row; labels and absent figures left out.
std::vector<PrintedFigure> printed_figures(const Dataset& dataset);

}  // namespace scalestudy::audit
