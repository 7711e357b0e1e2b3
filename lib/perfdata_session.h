#include "perfdata.h"
