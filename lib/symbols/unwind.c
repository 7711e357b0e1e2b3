#include "config.h"
#include "symbols/symbols.h"
