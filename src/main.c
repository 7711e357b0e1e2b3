#include <stdio.h>
#include "perfdata.h"

int main(void)
{
	printf("perfdata %s\n", perfdata_version());
	return 0;
}
