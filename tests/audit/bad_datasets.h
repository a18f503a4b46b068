// Datasets with one fault each, and what is said about it: for the reader and for the schema.
#pragma once

#include <string>
#include <vector>

#include "tests/audit/dataset_folder.h"

namespace scalestudy::test {

struct BadDataset {
  std::string yaml;
  std::string problem;            // first line of the message
  bool is_beyond_schema = false;  // a schema cannot tell: references, units, figures, SQL
};

// The CSV file that the datasets name.
inline const std::string kCsv = "devices,speedup\n1,1.00x\n2,1.78x\n";

// kHead has 4 lines, one_table another 5: the first column stands on line 9.
inline const std::string kColumns =
    "      - {column: devices, quantity: devices}\n"
    "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n";

inline std::string with_statement(const std::string& keys) {
  return one_table(kColumns) + "statements:\n  - {" + keys + "}\n";
}

// With an experiment of the table as well.
inline std::string with_experiment(const std::string& of_table, const std::string& keys) {
  return one_table(kColumns, "    experiment: " + of_table + "\n") + "statements:\n  - {" +
         "id: s, where: x, printed: 2x, quantity: speedup, " + keys + "}\n";
}

inline std::string with_sql(const std::string& sql) {
  return with_statement(
      "id: s, where: line 2, printed: 1.8x, quantity: speedup, follows: {formula: f, sql: \"" +
      sql + "\"}");
}

inline const std::vector<BadDataset>& bad_datasets() {
  static const std::vector<BadDataset> all{
      {"[1, 2]\n", "dataset.yaml:1:1: a dataset must be a mapping that starts with `version: 1`"},
      {"version: 2\ndataset: d\ntitle: t\nsource: {document: x}\ntables: []\n",
       "dataset.yaml:1:10: version 2 is not known here; this scalestudy reads version 1"},
      {"version: 1\ndataset: D 1\ntitle: t\nsource: {document: x}\ntables: []\n",
       "dataset.yaml:2:10: dataset is \"D 1\"; allowed: lower-case letters, digits and -"},
      {"version: 1\ndataset: d\ntitle: t\ntables: []\n", "dataset.yaml:1:1: source is missing"},
      {"version: 1\ndataset: d\ntitle: t\nsource: {author: x}\ntables: []\n",
       "dataset.yaml:4:9: source.document is missing"},
      {kHead, "dataset.yaml:1:1: tables and statements are both missing; a dataset holds figures"},
      {kHead + "statements: []\ntabels: []\n",
       "dataset.yaml:6:1: unknown key \"tabels\" (did you mean \"tables\"?)"},
      {one_table(kColumns, "    note: x\n"),
       "dataset.yaml:9:5: unknown key \"note\" in tables[1] (did you mean \"notes\"?)"},
      {kHead + "tables:\n  - {table: T, file: t.csv, where: x, columns: [{column: a, quantity: "
               "devices}]}\n",
       "dataset.yaml:6:13: tables[1].table is \"T\"; allowed: a lower-case letter, then letters, "
       "digits and _"},
      {kHead + "tables:\n  - {table: t, file: ../t.csv, where: x, columns: [{column: a, quantity: "
               "devices}]}\n",
       "dataset.yaml:6:22: tables[1].file is \"../t.csv\"; allowed: the name of a CSV file of this "
       "folder"},
      {kHead + "tables:\n  - {table: t, file: t.csv, where: x, columns: []}\n",
       "dataset.yaml:6:48: tables[1].columns is empty"},
      {kHead +
           "tables:\n  - {table: statements, file: t.csv, where: x, columns: [{column: devices, "
           "quantity: devices}]}\n",
       "dataset.yaml:6:13: this name means something else in SQL; choose another",
       true},
      {one_table("      - {column: devices, quantity: device}\n" + kColumns.substr(45)),
       "dataset.yaml:10:37: t.columns[1].quantity is \"device\"; allowed: devices, nodes"},
      {one_table("      - {column: devices, quantity: devices, unit: ms}\n" + kColumns.substr(45)),
       "dataset.yaml:10:52: t.columns[1].unit: \"ms\" is not a unit of devices (base unit 1); see "
       "FORMAT.md",
       true},
      {one_table(kColumns + "      - {column: devices, quantity: nodes}\n"),
       "dataset.yaml:12:9: column devices is given twice",
       true},
      {one_table("      - {column: devices, quantity: devices}\n"
                 "      - {column: speedup, quantity: ratio, follows: {ratio: [devices]}}\n"),
       "dataset.yaml:11:61: t.columns[2].follows.ratio names 1 columns; 2 are required"},
      {one_table("      - {column: devices, quantity: devices}\n"
                 "      - {column: speedup, quantity: ratio, follows: {ratio: [devices, tme]}}\n"),
       "dataset.yaml:11:9: column speedup: the table has no other column of figures \"tme\"",
       true},
      {one_table(
           "      - {column: devices, quantity: devices}\n"
           "      - {column: speedup, quantity: ratio, follows: {mean: [devices, devices]}}\n"),
       "dataset.yaml:11:54: unknown key \"mean\" in t.columns[2].follows; allowed: sum, "
       "difference, "
       "product, ratio, saving, change"},
      {one_table("      - {column: devices, quantity: devices}\n"
                 "      - {column: speedup, quantity: speedup, baseline: {modle: x}}\n"),
       "dataset.yaml:11:57: \"modle\" is neither a quantity nor a column of labels (did you mean "
       "\"model\"?); see FORMAT.md",
       true},
      {one_table(kColumns, "    fixed: {step_time: fast}\n"),
       "dataset.yaml:9:24: step_time: \"fast\" is not a figure; allowed: 4,371  3.85 ms  97.8%  "
       "~4K  "
       "15-20ms  <5s  50+  1,234 ± 45  -  N/A",
       true},
      {one_table(kColumns, "    fixed: {devices: [1]}\n"),
       "dataset.yaml:9:22: devices must be a number or text, not a list"},
      {with_statement("id: s, where: x, quantity: speedup"),
       "dataset.yaml:13:5: statements[1].printed is missing"},
      {with_statement("id: s, where: x, printed: 1.8 ms, quantity: speedup"),
       "dataset.yaml:13:32: statements[1].printed: \"1.8 ms\" is in \"ms\", which is not a unit of "
       "this "
       "quantity (1)",
       true},
      {with_statement("id: s, where: x, printed: N/A, quantity: speedup"),
       "dataset.yaml:13:32: statements[1].printed: nothing is printed; leave it out",
       true},
      {with_statement("id: s, where: x, printed: 2, quantity: devices, optimum: {table: u, column: "
                      "speedup, best: highest}"),
       "dataset.yaml:13:63: there is no table \"u\"",
       true},
      {with_statement("id: s, where: x, printed: 2, quantity: devices, optimum: {table: t, column: "
                      "speedup, best: fastest}"),
       "dataset.yaml:13:97: statements[1].optimum.best is \"fastest\"; allowed: highest, lowest"},
      {with_statement("id: s, where: x, printed: 2x, quantity: speedup, own_method: m, follows: "
                      "{formula: f, sql: SELECT 2}"),
       "dataset.yaml:13:67: statements[1].own_method says that the figures follow from no others; "
       "follows says from which",
       true},
      {with_experiment("scaling", "experiment: scalling"),
       "dataset.yaml:14:67: no table has the experiment \"scalling\" (did you mean \"scaling\"?); "
       "by "
       "default it is the table's name",
       true},
      {with_sql("SELECT speedup FROM nowhere"),
       "dataset.yaml:13:89: sql: no such table: nowhere",
       true},
      {with_sql("DELETE FROM t"),
       "dataset.yaml:13:89: sql: it would do more than read the dataset's tables",
       true},
      {with_sql("SELECT speedup FROM t"),
       "dataset.yaml:13:89: sql: it gives more than one row; one value is required",
       true},
  };
  return all;
}

}  // namespace scalestudy::test
