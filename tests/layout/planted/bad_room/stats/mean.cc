#include "harness/base/error.h"
