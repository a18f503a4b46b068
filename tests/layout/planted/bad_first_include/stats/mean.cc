struct Mean;

#include "stats/mean.h"
