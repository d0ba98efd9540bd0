#include <stdio.h>

int main(void)
{
    (void)printf("zirve %s\n", ZV_VERSION);
    return 0;
}
