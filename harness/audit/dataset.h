// Somebody's published tables and statements, as typed from the document. Format:
// data/published/FORMAT.md.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/figure.h"

namespace scalestudy::audit {

// Which run a figure is about: "devices" -> "16", "model" -> "resnet50". Numbers are written
// shortest in base units, so that "4,096" and "4096" are equal.
using Conditions = std::map<std::string, std::string>;

// Conditions, and numbers typed with them: `at: {devices: 2}`, `fixed: {price_per_device_hour:
// $3}`.
struct Given {
  Conditions conditions;
  std::map<std::string, Figure> figures;  // by quantity
};

// A place in a file of the dataset.
struct FilePlace {
  std::string file;
  int line = 0;    // from 1
  int column = 0;  // from 1, in bytes
};

// SQL over the dataset's tables that gives one value in base units.
struct Sql {
  std::string text;
  std::string formula;  // the same in words
  FilePlace place;
};

// What a column or statement says its figures follow from.
struct Rule {
  enum class Kind { kSum, kDifference, kProduct, kRatio, kSaving, kChange, kSql };

  Kind kind = Kind::kSql;
  std::vector<std::string> columns;  // of the same row; not for kSql
  Sql sql;
};

// "The best devices by cost is 16": the statement's value names the row.
struct Optimum {
  std::string table;
  std::string column;
  bool is_highest = true;
};

// Two things the document compares; they should differ in `vary` only.
struct Comparison {
  Conditions left;
  Conditions right;
  std::vector<std::string> vary;
};

// What is declared of a figure, whether it stands in a column or in the text.
struct Declaration {
  std::string quantity;
  std::string unit;               // empty: printed with each figure, or none
  bool is_exact = false;          // printed as a nominal value, not rounded
  bool zeros_are_digits = false;  // trailing zeros of integers are no rounding
  Given at;                       // of these figures alone
  Conditions baseline;  // conditions of the run that a speedup, efficiency ... is relative to
  std::optional<Rule> follows;
  std::optional<Sql> part_of_sql;  // each figure is at most this
  std::string part_of_column;      // ... or the figure of that column in the same row
  std::optional<bool>
      is_summed;           // whether the table's total row holds the sum; absent: by dimension
  std::string own_method;  // why the figure cannot follow from others, in the document's words
};

struct Column {
  std::string name;     // [a-z][a-z0-9_]*, also its name in SQL
  std::string heading;  // as printed; for people
  Declaration declared;
  FilePlace place;
};

struct Cell {
  std::string label;  // text, for a column of labels
  Figure figure;      // otherwise
  FilePlace place;
};

struct Table {
  std::string name;   // [a-z][a-z0-9_]*, also its name in SQL
  std::string where;  // section or lines of the document
  std::string experiment;
  Given fixed;           // shared by all rows
  Conditions total_row;  // which row holds the sums; empty: none
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // parallel to columns
};

// A figure of the prose, a summary or a note.
struct Statement {
  std::string id;
  std::string where;
  std::string experiment;
  Figure figure;
  Declaration declared;
  std::optional<Optimum> optimum;
  std::vector<std::string> break_even_tables;  // its value should lie within what these measured
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

// How a column's cells are named among conditions: by quantity, free labels by column.
std::string condition_name(const Column& column);

// A number as conditions write it.
std::string condition_text(const Figure& figure);

// The conditions of a row (index from 0): the table's fixed ones and the row's own.
Conditions row_conditions(const Table& table, std::size_t row);

// Whether everything `wanted` is said, and said so.
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

// Every figure that is not absent and no label, tables first, row by row.
std::vector<PrintedFigure> printed_figures(const Dataset& dataset);

}  // namespace scalestudy::audit
