// Numbers on a grid; x is the fastest dimension.
#include "real.h"

static size_t index_in(int4 size, int x, int y, int z)
{
    return ((size_t)z * size.y + y) * size.x + x;
}
