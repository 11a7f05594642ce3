// Computes FHd, Q or F (transform.h), one work-item a point, its position and sums in private
// memory, the sources in chunks of constant memory as structs, with the trigonometry of the
// hardware. Its accuracy is the vendor's: the phase is reduced to a quarter of a cycle first, where
// it is best. Otherwise as struct.cl.
#define COSINE native_cos
#define SINE native_sin
#include "struct.cl"
