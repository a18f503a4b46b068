// The rows of the store as C++ values: one struct a table, field = column. Meanings: SCHEMA.md.
#pragma once

#include "harness/store/published_rows.h"
#include "harness/store/result_rows.h"
#include "harness/store/trial_rows.h"
