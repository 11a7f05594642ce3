// Part of separable.cl.

// The same product for devices whose local memory is fast, by work-groups of 16 x 16: LOCAL_ROWS
// rows and four tiles, of which a work-item keeps 4 rows x 4 columns x 4 sums in registers. STEP
// samples at a time stand in local memory, where the rows are formed.
// Geometry: 16 ceil(tiles / 4), 16 ceil(rows / LOCAL_ROWS). LANES is 16, samples a multiple of it.
// One launch sums its samples in one float a sum: the host keeps chunks short.
#define LOCAL_ROWS 64
#define LOCAL_COLUMNS 64
#define STEP 16

static void add_columns(__global float *total, float4 part)
{
    const float4 old = vload4(0, total);
    const float4 sum = old + part;
    const float4 back = sum - old;
    vstore4(sum, 0, total);
    vstore4(vload4(0, total + LANES) + ((old - (sum - back)) + (part - back)), 0, total + LANES);
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void product_in_local(__global const float *panel, __global const float *y_factors,
                      __global const float *z_factors, const int samples, const int y_count,
                      const int first_row, const int row_count, const int tiles,
                      __global float *totals)
{
    __local float __attribute__((aligned(16))) a[STEP][2][LOCAL_COLUMNS];
    __local float __attribute__((aligned(16))) b[STEP][2][LOCAL_ROWS];
    const int tx = (int)get_local_id(0);
    const int ty = (int)get_local_id(1);
    const int id = 16 * ty + tx;
    const int first = LOCAL_ROWS * (int)get_group_id(1);

    // Loads: column quad id % 16 of sample id / 16 for a; samples 4 (id % 4) .. + 3 of row id / 4
    // for b.
    const int a_tile = 4 * (int)get_group_id(0) + (id % 16) / 4;
    __global const float *from_panel =
        panel + ((size_t)min(a_tile, tiles - 1) * samples + id / 16) * 2 * LANES + 4 * (id % 4);
    const int b_row = first_row + min(first + id / 4, row_count - 1);
    __global const float *y = y_factors + (size_t)(b_row % y_count) * 2 * samples + 4 * (id % 4);
    __global const float *z = z_factors + (size_t)(b_row / y_count) * 2 * samples + 4 * (id % 4);

    float4 sums[4][4];
    for (int t = 0; t < 4; ++t) {
        for (int i = 0; i < 4; ++i) {
            sums[t][i] = (float4)(0.0f);
        }
    }
    float4 ca = *(__global const float4 *)(from_panel);
    float4 sa = *(__global const float4 *)(from_panel + LANES);
    float4 yr = *(__global const float4 *)(y);
    float4 yi = *(__global const float4 *)(y + samples);
    float4 zr = *(__global const float4 *)(z);
    float4 zi = *(__global const float4 *)(z + samples);
    for (int m = 0; m < samples; m += STEP) {
        ((__local float4 *)a[id / 16][0])[id % 16] = ca;
        ((__local float4 *)a[id / 16][1])[id % 16] = sa;
        const float4 re = yr * zr - yi * zi;
        const float4 im = yr * zi + yi * zr;
        const int step = 4 * (id % 4);
        b[step][0][id / 4] = re.x;
        b[step + 1][0][id / 4] = re.y;
        b[step + 2][0][id / 4] = re.z;
        b[step + 3][0][id / 4] = re.w;
        b[step][1][id / 4] = im.x;
        b[step + 1][1][id / 4] = im.y;
        b[step + 2][1][id / 4] = im.z;
        b[step + 3][1][id / 4] = im.w;
        const int next = min(m + STEP, samples - STEP);
        ca = *(__global const float4 *)(from_panel + next * 2 * LANES);
        sa = *(__global const float4 *)(from_panel + next * 2 * LANES + LANES);
        yr = *(__global const float4 *)(y + next);
        yi = *(__global const float4 *)(y + samples + next);
        zr = *(__global const float4 *)(z + next);
        zi = *(__global const float4 *)(z + samples + next);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int s = 0; s < STEP; ++s) {
            const float4 c = ((__local const float4 *)a[s][0])[tx];
            const float4 d = ((__local const float4 *)a[s][1])[tx];
            const float4 br = ((__local const float4 *)b[s][0])[ty];
            const float4 bi = ((__local const float4 *)b[s][1])[ty];
#define LOCAL_MULTIPLY_ADD(t, component)                                                           \
    sums[t][0] = fma((float4)(br.component), c, sums[t][0]);                                       \
    sums[t][1] = fma((float4)(bi.component), d, sums[t][1]);                                       \
    sums[t][2] = fma((float4)(br.component), d, sums[t][2]);                                       \
    sums[t][3] = fma((float4)(bi.component), c, sums[t][3]);
            LOCAL_MULTIPLY_ADD(0, x)
            LOCAL_MULTIPLY_ADD(1, y)
            LOCAL_MULTIPLY_ADD(2, z)
            LOCAL_MULTIPLY_ADD(3, w)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int tile = 4 * (int)get_group_id(0) + tx / 4;
    for (int t = 0; t < 4; ++t) {
        const int row = first + 4 * ty + t;
        if (row < row_count && tile < tiles) {
            for (int i = 0; i < 4; ++i) {
                add_columns(totals + (((size_t)row * tiles + tile) * 8 + 2 * i) * LANES +
                                4 * (tx % 4),
                            sums[t][i]);
            }
        }
    }
}
