#include <vector>

#include "stats/mean.h"
