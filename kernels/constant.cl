// Computes FHd, Q or F (transform.h), one work-item a point, its position and sums in private
// memory, the sources in chunks of constant memory: one read serves every work-item that asks at
// once. Otherwise as register.cl.
#define SOURCE_MEMORY __constant
#include "register.cl"
