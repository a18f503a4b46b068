// The rows of the store as C++ values: one struct a table, field = column. Meanings: SCHEMA.md.
#pragma once

#include "harness/store/rows/published_rows.h"
#include "harness/store/rows/result_rows.h"
#include "harness/store/rows/trial_rows.h"
