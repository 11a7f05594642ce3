// FHd or Q on a lattice without trigonometry per pair: exp(i 2 pi k.u) = ex ey ez.
//
//     out_r,x = sum_m b_mr ex_mx,   b_mr = value_m ey ez for the row r = (coil, z, y)
//
// ex = c + i s and x -> -x turns s into -s, so that the four real sums over m
//
//     p1 = Br c,  p2 = Bi s,  p3 = Br s,  p4 = Bi c
//
// give both voxels: out(+x) = (p1 - p2) + i (p3 + p4), out(-x) = (p1 + p2) + i (p4 - p3):
// two multiply-adds a pair.
//
// Three kernels a chunk of samples (the last in two forms, for CPUs and GPUs): factors_x writes c and s for all x >= 0 in panels of LANES,
// factors_rows writes ey, and value ez, for every row index; product forms the b of ROWS rows in
// private memory, and then runs over the panels with ROWS x 4 vectors of sums.
// Defines: LANES x ROWS x 4 sums are kept in registers over RUN samples, RUNS of them are added in
// floats before that goes to a total of two floats; CHUNK samples at most stand in private memory.
// Short runs matter where few samples hold the energy: RUN 64 and no second level made F^H d of a
// spiral 1.8e-7 wrong, 16 and 4 make it 0.8e-7 for a twentieth more time.
// Error: recon/base/tolerance.hpp, direct_transform.

#ifndef LANES
#define LANES 16
#endif
#ifndef RUN
#define RUN 16
#endif
#ifndef RUNS
#define RUNS 4
#endif
#ifndef CHUNK
#define CHUNK 512
#endif
#define ROWS 4
#define SUMS (4 * ROWS)

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define FLOATS JOIN(float, LANES)
#define LOAD(i, p) JOIN(vload, LANES)(i, p)
#define STORE(v, i, p) JOIN(vstore, LANES)(v, i, p)

// c + i s = exp(i 2 pi t): the nearest quarter turn is taken off exactly, what is left is below
// pi/4, where the Taylor polynomials are right to 2e-9; rounding leaves about 5e-8.
static void unit_circle(FLOATS t, FLOATS *c, FLOATS *s)
{
    const FLOATS quarters = rint(4.0f * t);
    const FLOATS y = 6.28318530717958647692f * (t - 0.25f * quarters);
    const FLOATS y2 = y * y;
    const FLOATS sine =
        y + y * y2 * (-1.6666666667e-1f +
                      y2 * (8.3333333333e-3f + y2 * (-1.9841269841e-4f + y2 * 2.7557319224e-6f)));
    const FLOATS cosine =
        1.0f + y2 * (-0.5f + y2 * (4.1666666667e-2f +
                                   y2 * (-1.3888888889e-3f + y2 * 2.4801587302e-5f)));
    // quarters modulo 4: 0 keeps, 1 turns by 90 degrees, 2 by 180, 3 by 270.
    const FLOATS q = quarters - 4.0f * floor(0.25f * quarters);
    const FLOATS odd = q - 2.0f * floor(0.5f * q);
    const FLOATS sign_c = 1.0f - 2.0f * floor(0.5f * fabs(q + 1.0f - 4.0f * floor(0.25f * (q + 1.0f))));
    const FLOATS sign_s = 1.0f - 2.0f * floor(0.5f * q);
    *c = sign_c * (cosine + odd * (sine - cosine));
    *s = sign_s * (sine + odd * (cosine - sine));
}

// k in cycles a voxel as high + low (recon/plan/split.hpp): high * n is exact.
static FLOATS turns(FLOATS high, FLOATS low, FLOATS n)
{
    const FLOATS exact = high * n;
    return (exact - rint(exact)) + low * n;
}

// panel[tile][m][c or s][LANES] for x = tile * LANES + lane number, of the samples from `offset`
// on. Geometry: m, tile.
__kernel void factors_x(__global const float *high, __global const float *low, const int offset,
                        __global const float *lane_numbers, __global float *panel)
{
    const size_t m = get_global_id(0);
    const size_t tile = get_global_id(1);
    const FLOATS n = LOAD(0, lane_numbers) + (float)(tile * LANES);
    FLOATS c;
    FLOATS s;
    unit_circle(turns((FLOATS)(high[offset + m]), (FLOATS)(low[offset + m]), n), &c, &s);
    __global float *out = panel + 2 * LANES * (tile * get_global_size(0) + m);
    STORE(c, 0, out);
    STORE(s, 1, out);
}

// factors[row][real or imaginary][m] = value_m exp(i 2 pi k_m n), n = first + index, for
// row = coil * count + index, of the samples from `offset` on; values[coil][real or imaginary][m]
// are those of all samples, `stride` of them. Geometry: m / LANES, index, coil.
__kernel void factors_rows(__global const float *high, __global const float *low, const int offset,
                           const int first, __global const float *values, const int stride,
                           __global float *factors)
{
    const size_t block = get_global_id(0);
    const size_t blocks = get_global_size(0);
    const size_t row = get_global_id(2) * get_global_size(1) + get_global_id(1);
    const FLOATS n = (FLOATS)((float)(first + (int)get_global_id(1)));
    FLOATS c;
    FLOATS s;
    unit_circle(turns(LOAD(block, high + offset), LOAD(block, low + offset), n), &c, &s);
    __global const float *value = values + 2 * get_global_id(2) * stride + offset;
    const FLOATS re = LOAD(block, value);
    const FLOATS im = LOAD(block, value + stride);
    STORE(re * c - im * s, 2 * row * blocks + block, factors);
    STORE(im * c + re * s, (2 * row + 1) * blocks + block, factors);
}

// Knuth, TAOCP 2, 4.2.2, TwoSum: what the addition to a total loses is kept beside it.
static void add_to_total(FLOATS *high, FLOATS *low, FLOATS part)
{
    const FLOATS sum = *high + part;
    const FLOATS back = sum - *high;
    *low += (*high - (sum - back)) + (part - back);
    *high = sum;
}

// mid += the four sums of every row over the samples begin..end-1, in registers.
static void add_run(float b[2 * ROWS][CHUNK], __global const float *ex, int begin, int end,
                    FLOATS mid[SUMS])
{
    FLOATS p00 = (FLOATS)(0.0f), p01 = p00, p02 = p00, p03 = p00;
    FLOATS p10 = p00, p11 = p00, p12 = p00, p13 = p00;
    FLOATS p20 = p00, p21 = p00, p22 = p00, p23 = p00;
    FLOATS p30 = p00, p31 = p00, p32 = p00, p33 = p00;
    for (int m = begin; m < end; ++m) {
        const FLOATS c = LOAD(2 * m, ex);
        const FLOATS s = LOAD(2 * m + 1, ex);
#define MULTIPLY_ADD(t)                                                                            \
    p##t##0 = fma((FLOATS)(b[2 * t][m]), c, p##t##0);                                              \
    p##t##1 = fma((FLOATS)(b[2 * t + 1][m]), s, p##t##1);                                          \
    p##t##2 = fma((FLOATS)(b[2 * t][m]), s, p##t##2);                                              \
    p##t##3 = fma((FLOATS)(b[2 * t + 1][m]), c, p##t##3);
        MULTIPLY_ADD(0)
        MULTIPLY_ADD(1)
        MULTIPLY_ADD(2)
        MULTIPLY_ADD(3)
    }
#define ADD_ROW(t)                                                                                 \
    mid[4 * t] += p##t##0;                                                                         \
    mid[4 * t + 1] += p##t##1;                                                                     \
    mid[4 * t + 2] += p##t##2;                                                                     \
    mid[4 * t + 3] += p##t##3;
    ADD_ROW(0)
    ADD_ROW(1)
    ADD_ROW(2)
    ADD_ROW(3)
}

// totals[row][tile][sum p1..p4, high then low][LANES]. Geometry: rows / ROWS.
__kernel void product(__global const float *panel, __global const float *y_factors,
                      __global const float *z_factors, const int samples, const int y_count,
                      const int first_row, const int row_count, const int tiles,
                      __global float *totals)
{
    const int first = (int)get_global_id(0) * ROWS;
    float b[2 * ROWS][CHUNK];
    for (int t = 0; t < ROWS; ++t) {
        const int row = first_row + min(first + t, row_count - 1);
        __global const float *y = y_factors + (size_t)(row % y_count) * 2 * samples;
        __global const float *z = z_factors + (size_t)(row / y_count) * 2 * samples;
        for (int m = 0; m < samples; m += LANES) {
            const FLOATS yr = LOAD(0, y + m);
            const FLOATS yi = LOAD(0, y + samples + m);
            const FLOATS zr = LOAD(0, z + m);
            const FLOATS zi = LOAD(0, z + samples + m);
            STORE(yr * zr - yi * zi, 0, &b[2 * t][m]);
            STORE(yr * zi + yi * zr, 0, &b[2 * t + 1][m]);
        }
    }
    for (int tile = 0; tile < tiles; ++tile) {
        FLOATS high[SUMS];
        FLOATS low[SUMS];
        for (int i = 0; i < SUMS; ++i) {
            high[i] = (FLOATS)(0.0f);
            low[i] = (FLOATS)(0.0f);
        }
        __global const float *ex = panel + (size_t)tile * samples * 2 * LANES;
        for (int block = 0; block < samples; block += RUN * RUNS) {
            FLOATS mid[SUMS];
            for (int i = 0; i < SUMS; ++i) {
                mid[i] = (FLOATS)(0.0f);
            }
            const int block_end = min(block + RUN * RUNS, samples);
            for (int begin = block; begin < block_end; begin += RUN) {
                add_run(b, ex, begin, min(begin + RUN, block_end), mid);
            }
            for (int i = 0; i < SUMS; ++i) {
                add_to_total(&high[i], &low[i], mid[i]);
            }
        }
        for (int t = 0; t < ROWS && first + t < row_count; ++t) {
            __global float *total = totals + ((size_t)(first + t) * tiles + tile) * 8 * LANES;
            for (int i = 0; i < 4; ++i) {
                FLOATS sum = LOAD(2 * i, total);
                FLOATS lost = LOAD(2 * i + 1, total) + low[4 * t + i];
                add_to_total(&sum, &lost, high[4 * t + i]);
                STORE(sum, 2 * i, total);
                STORE(lost, 2 * i + 1, total);
            }
        }
    }
}

// F on a lattice, out_m = sum_r conj(ey ez) sum_x rho_rx conj(ex): LANES samples a work-item, ROWS
// rows at a time, those of the LATTICE_X voxels of x in private memory. All factors are
// factors_rows' without values. out[m / LANES][real high, low, imaginary high, low][LANES].
// Geometry: samples / LANES.
#ifndef LATTICE_X
#define LATTICE_X 64
#endif

__kernel void forward(__global const float *x_factors, __global const float *y_factors,
                      __global const float *z_factors, __global const float2 *rho,
                      const int y_count, const int row_count, const int samples,
                      __global float *out)
{
    const int m = (int)get_global_id(0) * LANES;
    FLOATS ex[2 * LATTICE_X];
    for (int x = 0; x < 2 * LATTICE_X; ++x) {
        ex[x] = LOAD(0, x_factors + (size_t)x * samples + m);
    }
    FLOATS high_r = (FLOATS)(0.0f), high_i = high_r, low_r = high_r, low_i = high_r;
    for (int first = 0; first < row_count; first += ROWS) {
        FLOATS r0 = (FLOATS)(0.0f), r1 = r0, r2 = r0, r3 = r0, i0 = r0, i1 = r0, i2 = r0, i3 = r0;
        const int last = row_count - 1;
        __global const float2 *rho0 = rho + (size_t)first * LATTICE_X;
        __global const float2 *rho1 = rho + (size_t)min(first + 1, last) * LATTICE_X;
        __global const float2 *rho2 = rho + (size_t)min(first + 2, last) * LATTICE_X;
        __global const float2 *rho3 = rho + (size_t)min(first + 3, last) * LATTICE_X;
        for (int x = 0; x < LATTICE_X; ++x) {
            const FLOATS c = ex[2 * x];
            const FLOATS s = ex[2 * x + 1];
#define ADD_VOXEL(t)                                                                               \
    r##t = fma((FLOATS)(rho##t[x].x), c, fma((FLOATS)(rho##t[x].y), s, r##t));                     \
    i##t = fma((FLOATS)(rho##t[x].y), c, fma((FLOATS)(-rho##t[x].x), s, i##t));
            ADD_VOXEL(0)
            ADD_VOXEL(1)
            ADD_VOXEL(2)
            ADD_VOXEL(3)
        }
#define ADD_TO_SAMPLE(t)                                                                           \
    if (first + t < row_count) {                                                                   \
        const int iy = (first + t) % y_count;                                                      \
        const int iz = (first + t) / y_count;                                                      \
        const FLOATS yr = LOAD(0, y_factors + (size_t)(2 * iy) * samples + m);                     \
        const FLOATS yi = LOAD(0, y_factors + (size_t)(2 * iy + 1) * samples + m);                 \
        const FLOATS zr = LOAD(0, z_factors + (size_t)(2 * iz) * samples + m);                     \
        const FLOATS zi = LOAD(0, z_factors + (size_t)(2 * iz + 1) * samples + m);                 \
        const FLOATS er = yr * zr - yi * zi;                                                       \
        const FLOATS ei = yr * zi + yi * zr;                                                       \
        add_to_total(&high_r, &low_r, r##t * er + i##t * ei);                                      \
        add_to_total(&high_i, &low_i, i##t * er - r##t * ei);                                      \
    }
        ADD_TO_SAMPLE(0)
        ADD_TO_SAMPLE(1)
        ADD_TO_SAMPLE(2)
        ADD_TO_SAMPLE(3)
    }
    __global float *total = out + 4 * (size_t)m;
    STORE(high_r, 0, total);
    STORE(low_r, 1, total);
    STORE(high_i, 2, total);
    STORE(low_i, 3, total);
}

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
    __local float a[STEP][2][LOCAL_COLUMNS];
    __local float b[STEP][2][LOCAL_ROWS];
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
    for (int m = 0; m < samples; m += STEP) {
        vstore4(vload4(0, from_panel + m * 2 * LANES), 0, &a[id / 16][0][4 * (id % 16)]);
        vstore4(vload4(0, from_panel + m * 2 * LANES + LANES), 0, &a[id / 16][1][4 * (id % 16)]);
        const float4 yr = vload4(0, y + m);
        const float4 yi = vload4(0, y + samples + m);
        const float4 zr = vload4(0, z + m);
        const float4 zi = vload4(0, z + samples + m);
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
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int s = 0; s < STEP; ++s) {
            const float4 c = vload4(tx, a[s][0]);
            const float4 d = vload4(tx, a[s][1]);
            const float4 br = vload4(ty, b[s][0]);
            const float4 bi = vload4(ty, b[s][1]);
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
