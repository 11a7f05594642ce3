// Spreads the samples of a NUFFT onto its fine grid and interpolates them from it
// (recon/engines/opencl/nufft.cpp). Every sum has a fixed order: repeated runs give identical bits.
//
// Adjoint: the fine grid is divided into tiles of TX x TY points of two dimensions and LAYERS of
// the third, which a work-group each computes. A work-item has one point of each layer. The samples
// that reach the tile come by their first layer; a window of WIDTH layers in registers moves along
// with them and leaves behind what is finished. Samples are sorted by bins of TX x TY first points
// and by layer: those of a tile come from BINS_X x BINS_Y bins, and are merged as they are read. A
// bin's samples that miss the tile are dropped before their kernels are evaluated. A tile of many
// samples is computed in chunks, which are added in their order.
//
// Forward: a team of LANES work-items takes one sample at a time, a column of the fine grid each.
//
// Defines: DOUBLES, STORED; WIDTH and DEGREE of the polynomials; LANES, the power of two at
// or above WIDTH; COILS, transformed at a time; TX, TY, LAYERS. A plane has TY = 1 and its second
// dimension as layers.
#include "grid.h"
#ifndef WIDTH
#define WIDTH 4
#endif
#ifndef LANES
#define LANES 4
#endif
#ifndef DEGREE
#define DEGREE 8
#endif
#ifndef COILS
#define COILS 1
#endif
#ifndef TX
#define TX 8
#endif
#ifndef TY
#define TY 4
#endif
#ifndef LAYERS
#define LAYERS 32
#endif
#ifndef STORED
#define STORED REAL // of values and voxels
#endif
typedef STORED stored;
typedef JOIN(STORED, 2) stored2;
#define TO_STORED2 JOIN(convert_, JOIN(STORED, 2))

// Arrays of a work-item are registers where all of their indices are known.
#define UNROLL __attribute__((opencl_unroll_hint))
#define GROUP (TX * TY) // as many as a uint has bits: most GPUs run so many in step
#if GROUP != 32
#error "a tile has 32 points a layer"
#endif
#define INTERPOLATE_GROUP 64
#define DIMENSIONS (TY > 1 ? 3 : 2)
#define HEIGHT (TY > 1 ? WIDTH : 1) // points of a kernel along y
#define PAIRS ((WIDTH + 1) / 2) // of a kernel's points that lie opposite
// A sample in local memory: its kernel at the tile's points along x and along y, its values, and
// its kernel at its layers. ROW is an odd multiple of 4, since rows that start in the same banks
// would be written one after the other.
#define AT_Y TX
#define AT_VALUES (AT_Y + (TY + 3) / 4 * 4)
#define AT_LAYERS (AT_VALUES + 2 * COILS)
#define ROW ((AT_LAYERS + WIDTH + 3) / 4 / 2 * 8 + 4)
#define REACH_X ((WIDTH - 2 + TX) / TX) // bins before a tile whose samples may reach it
#define REACH_Y (TY == 1 ? 0 : (WIDTH - 2 + TY) / TY)
#define BINS_X (REACH_X + 1)
#define BINS_Y (REACH_Y + 1)
#define BINS (BINS_X * BINS_Y)
#define CELLS (LAYERS + WIDTH - 1) // first layers of samples that reach a tile
#define ENTRIES (CELLS * BINS)

// The kernel's point `lane` for the samples of one dimension, in t = 2 offset - 1.
static void load_polynomial(__global const real *coefficients, int lane, real *of_lane)
{
    UNROLL
    for (int p = 0; p <= DEGREE; ++p) {
        of_lane[p] = lane < WIDTH ? coefficients[p * WIDTH + lane] : 0;
    }
}

static real kernel_at(const real *of_lane, real t)
{
    real value = of_lane[0];
    UNROLL
    for (int p = 1; p <= DEGREE; ++p) {
        value = fma(value, t, of_lane[p]);
    }
    return value;
}

// The kernel at the point of these coefficients and at the one that lies opposite, which has the
// same polynomial in -t.
static real2 kernel_pair(const real *of_lane, real t)
{
    const real square = t * t;
    real even = of_lane[DEGREE % 2], odd = of_lane[1 - DEGREE % 2];
    UNROLL
    for (int p = DEGREE % 2 + 2; p <= DEGREE; p += 2) {
        even = fma(even, square, of_lane[p]);
    }
    UNROLL
    for (int p = 3 - DEGREE % 2; p < DEGREE; p += 2) {
        odd = fma(odd, square, of_lane[p]);
    }
    return (real2)(fma(odd, t, even), fma(-odd, t, even));
}

static int modulo(int at, int extent)
{
    return at < 0 ? at + extent : (at >= extent ? at - extent : at);
}

static real2 times(real2 a, real2 b)
{
    return (real2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// sorted[i][c] = value c of sample order[i], times its phase.
// Geometry: samples.
__kernel void sort_values(const ulong items, __global const uint *order,
                          __global const real2 *phases, int with_phases,
                          __global const stored *values, int are_complex, ulong first_coil,
                          int coils, __global real2 *sorted)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    UNROLL
    for (int c = 0; c < COILS; ++c) {
        real2 value = (real2)(0, 0);
        if (c < coils) {
            const size_t at = (first_coil + c) * items + order[i];
            value = are_complex ? TO_REAL2(vload2(at, values)) : (real2)(values[at], 0);
        }
        sorted[i * COILS + c] = with_phases ? times(value, phases[i]) : value;
    }
}

// What a tile's samples are read by.
typedef struct {
    int x, y; // among tiles
    int first_layer;
    int layers;
} Tile;

// Entry e of a tile: the samples of one bin with one first layer, which stand one after the other.
static size_t key_of_entry(int e, Tile tile, int4 bins)
{
    const int bin = e % BINS;
    const int x = modulo(tile.x - REACH_X + bin % BINS_X, bins.x);
    const int y = modulo(tile.y - REACH_Y + bin / BINS_X, bins.y);
    const int layer = modulo(tile.first_layer - (WIDTH - 1) + e / BINS, bins.z);
    return ((size_t)y * bins.x + x) * bins.z + layer;
}

// before[e] = samples of the entries before e; before[entries] = all. A sample's number among those
// of the tile, plus shifts[e], is its index among all.
static void count_entries(Tile tile, int4 bins, __global const uint *starts, __local uint *before,
                          __local uint *shifts, __local uint *sums)
{
    const int item = get_local_id(0);
    const int entries = (tile.layers + WIDTH - 1) * BINS;
    const int each = (entries + GROUP - 1) / GROUP;
    uint sum = 0;
    for (int e = item * each; e < min(entries, (item + 1) * each); ++e) {
        const size_t key = key_of_entry(e, tile, bins);
        sum += starts[key + 1] - starts[key];
    }
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < GROUP; step *= 2) {
        const uint other = item >= step ? sums[item - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint at = sums[item] - sum;
    for (int e = item * each; e < min(entries, (item + 1) * each); ++e) {
        const size_t key = key_of_entry(e, tile, bins);
        before[e] = at;
        shifts[e] = starts[key] - at;
        at += starts[key + 1] - starts[key];
    }
    if (item == GROUP - 1) {
        before[entries] = sums[item];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The entry that sample p of a tile is in.
static int entry_of(uint p, int entries, __local const uint *before)
{
    int low = 0, high = entries; // before[low] <= p < before[high]
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (before[middle] <= p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// GROUP bytes, 0 or 1, as bits, the first one the lowest.
static uint bits_of(__local const uchar *bytes)
{
    __local const ulong *eight = (__local const ulong *)bytes;
    uint bits = 0;
    for (int b = 0; b < 4; ++b) {
        bits |= (uint)((eight[b] * 0x0102040810204080UL) >> 56) << 8 * b;
    }
    return bits;
}

// grid or, of a tile that has several chunks, parts = the sum of the samples of a chunk.
// chunk.xyzw: tile, first sample of the tile's, how many, where among the parts or -1.
// bins: along x and y, and the fine grid's layers. strides: of the fine grid along y, along layers
// and between coils.
// Geometry: a work-group of GROUP a chunk.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spread(__global const int4 *chunks, int4 bins, __global const uint *starts,
       __global const ushort4 *first_points, __global const real *offsets, ulong samples,
       __global const real2 *values, __global const real *coefficients, ulong4 strides,
       __global real2 *grid, __global real2 *parts)
{
    __local uint before[ENTRIES + 1];
    __local uint shifts[ENTRIES];
    __local uint sums[GROUP];
    __local uchar reaches[GROUP] __attribute__((aligned(8))); // the tile: 0 or 1
    // Samples that do:
    __local int2 corner[GROUP]; // first point along x and y in the tile
    __local real offset[GROUP * DIMENSIONS];
    __local real rows[GROUP * ROW] __attribute__((aligned(32)));

    const int item = get_local_id(0);
    const int x = item % TX, y = item / TX;
    const int4 chunk = chunks[get_group_id(0)];
    const int tiles_of_layers = (bins.z + LAYERS - 1) / LAYERS;
    Tile tile;
    tile.first_layer = chunk.x % tiles_of_layers * LAYERS;
    tile.layers = min(LAYERS, bins.z - tile.first_layer);
    tile.x = chunk.x / tiles_of_layers % bins.x;
    tile.y = chunk.x / tiles_of_layers / bins.x;
    const int entries = (tile.layers + WIDTH - 1) * BINS;
    count_entries(tile, bins, starts, before, shifts, sums);

    const int is_part = chunk.w >= 0;
    const size_t of_layer = is_part ? GROUP : strides.y;
    const size_t of_coil = is_part ? LAYERS * GROUP : strides.z;
    __global real2 *out =
        is_part ? parts + (size_t)chunk.w * COILS * LAYERS * GROUP + item
                : grid + tile.first_layer * strides.y + (tile.y * TY + y) * strides.x +
                      tile.x * TX + x;

    const int lane = item % PAIRS;
    real of_lane[DEGREE + 1];
    load_polynomial(coefficients, lane, of_lane);
    real2 window[COILS][WIDTH];
    UNROLL
    for (int c = 0; c < COILS; ++c) {
        UNROLL
        for (int j = 0; j < WIDTH; ++j) {
            window[c][j] = (real2)(0, 0);
        }
    }
    int cell = 0; // the window's first layer, from WIDTH - 1 before the tile on

// Writes the window's first layer, which no other sample reaches.
#define MOVE_WINDOW                                                                                \
    if (cell >= WIDTH - 1) {                                                                       \
        UNROLL                                                                                     \
        for (int c = 0; c < COILS; ++c) {                                                          \
            out[c * of_coil] = window[c][0];                                                       \
        }                                                                                          \
        out += of_layer;                                                                           \
    }                                                                                              \
    UNROLL                                                                                         \
    for (int c = 0; c < COILS; ++c) {                                                              \
        UNROLL                                                                                     \
        for (int j = 0; j + 1 < WIDTH; ++j) {                                                      \
            window[c][j] = window[c][j + 1];                                                       \
        }                                                                                          \
        window[c][WIDTH - 1] = (real2)(0, 0);                                                      \
    }                                                                                              \
    ++cell;

    for (int begin = 0; begin < chunk.z; begin += GROUP) {
        const int count = min(GROUP, chunk.z - begin);
        int2 at = (int2)(-WIDTH, 0);
        size_t sample = 0;
        if (item < count) {
            const uint p = chunk.y + begin + item;
            const int e = entry_of(p, entries, before);
            sample = p + shifts[e];
            const ushort4 first = first_points[sample];
            at = (int2)(first.x % TX + TX * (e % BINS % BINS_X - REACH_X),
                        TY == 1 ? 0 : first.y % TY + TY * (e % BINS / BINS_X - REACH_Y));
        }
        const int reaching = at.x + WIDTH > 0 && at.y + WIDTH > 0;
        reaches[item] = reaching;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint kept = bits_of(reaches); // samples: those that do not reach the tile are dropped
        const int all = popcount(kept);
        if (reaching) {
            const int i = popcount(kept & ((1u << item) - 1));
            corner[i] = at;
            for (int d = 0; d < DIMENSIONS; ++d) {
                offset[d * GROUP + i] = offsets[d * samples + sample];
            }
            __local real *row = rows + i * ROW;
            for (int k = 0; k < TX; ++k) {
                row[k] = 0;
            }
            for (int k = 0; k < TY; ++k) {
                row[AT_Y + k] = TY == 1 ? 1 : 0;
            }
            UNROLL
            for (int c = 0; c < COILS; ++c) {
                const real2 value = values[sample * COILS + c];
                row[AT_VALUES + 2 * c] = value.x;
                row[AT_VALUES + 2 * c + 1] = value.y;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < GROUP / PAIRS * PAIRS) {
            for (int i = item / PAIRS; i < all; i += GROUP / PAIRS) {
                __local real *row = rows + i * ROW;
                const int2 from = corner[i];
                const int other = WIDTH - 1 - lane;
                const real2 on_x = kernel_pair(of_lane, offset[i]);
                if ((uint)(from.x + lane) < TX) {
                    row[from.x + lane] = on_x.x;
                }
                if ((uint)(from.x + other) < TX) {
                    row[from.x + other] = on_x.y;
                }
                if (TY > 1) {
                    const real2 on_y = kernel_pair(of_lane, offset[GROUP + i]);
                    if ((uint)(from.y + lane) < TY) {
                        row[AT_Y + from.y + lane] = on_y.x;
                    }
                    if ((uint)(from.y + other) < TY) {
                        row[AT_Y + from.y + other] = on_y.y;
                    }
                }
                const real2 on_layers = kernel_pair(of_lane, offset[(DIMENSIONS - 1) * GROUP + i]);
                row[AT_LAYERS + lane] = on_layers.x;
                row[AT_LAYERS + other] = on_layers.y;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int done = 0;
        __local const real *row = rows, *of_x = rows + x, *of_y = rows + AT_Y + y;
        while (true) {
            // The samples whose first layer is the window's.
            const int read = max((int)(before[(cell + 1) * BINS] - chunk.y) - begin, 0);
            const int stop = read < count ? popcount(kept & ((1u << read) - 1)) : all;
            for (; done < stop; ++done) {
                real on_layer[WIDTH];
                UNROLL
                for (int j = 0; j < WIDTH; ++j) {
                    on_layer[j] = row[AT_LAYERS + j];
                }
                const real on_plane = *of_x * *of_y;
                UNROLL
                for (int c = 0; c < COILS; ++c) {
                    const real2 v =
                        on_plane * (real2)(row[AT_VALUES + 2 * c], row[AT_VALUES + 2 * c + 1]);
                    UNROLL
                    for (int j = 0; j < WIDTH; ++j) {
                        window[c][j].x = fma(v.x, on_layer[j], window[c][j].x);
                        window[c][j].y = fma(v.y, on_layer[j], window[c][j].y);
                    }
                }
                row += ROW;
                of_x += ROW;
                of_y += ROW;
            }
            if (done == all) {
                break;
            }
            MOVE_WINDOW
        }
    }
    while (cell < tile.layers + WIDTH - 1) {
        MOVE_WINDOW
    }
}

// The tiles that have several chunks: split.xyz: tile, its first part, how many.
// Geometry: GROUP * LAYERS points of a tile, such tiles, coils.
__kernel void add_parts(const ulong items, __global const int4 *split, int4 bins,
                        __global const real2 *parts, ulong4 strides, __global real2 *grid)
{
    ONLY(items)
    const int point = get_global_id(0) % GROUP, layer = get_global_id(0) / GROUP;
    const size_t coil = get_global_id(2);
    const int4 of_tile = split[get_global_id(1)];
    const int tiles_of_layers = (bins.z + LAYERS - 1) / LAYERS;
    const int at = of_tile.x % tiles_of_layers * LAYERS + layer;
    if (at >= bins.z) {
        return;
    }
    real2 sum = (real2)(0, 0);
    for (int p = 0; p < of_tile.z; ++p) {
        sum += parts[((size_t)(of_tile.y + p) * COILS + coil) * items + get_global_id(0)];
    }
    const size_t x = of_tile.x / tiles_of_layers % bins.x * TX + point % TX;
    const size_t y = of_tile.x / tiles_of_layers / bins.x * TY + point / TX;
    grid[coil * strides.z + at * strides.y + y * strides.x + x] = sum;
}

static int point_of(int n, int size, int extent)
{
    return modulo(n - size / 2, extent);
}

// Where frequency (x, y, z) less half the size stands on the fine grid of a coil.
static size_t coil_point(size_t coil, int x, int y, int z, int4 size, int4 extents)
{
    return coil * extents.x * extents.y * extents.z +
           index_in(extents, point_of(x, size.x, extents.x), point_of(y, size.y, extents.y),
                    point_of(z, size.z, extents.z));
}

static size_t coil_voxel(size_t coil, int4 size, int x, int y, int z)
{
    return coil * size.x * size.y * size.z + index_in(size, x, y, z);
}

static real factor_at(__global const real *factors, int4 size, int x, int y, int z)
{
    return factors[x] * factors[size.x + y] * factors[size.x + size.y + z];
}

// Geometry: voxels along x and y; z of one coil after the other.
__kernel void crop(const ulong items, __global const real2 *grid, int4 size, int4 extents,
                   __global const real *factors, ulong first_coil, __global stored2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2) % size.z;
    const size_t coil = get_global_id(2) / size.z;
    out[coil_voxel(first_coil + coil, size, x, y, z)] = TO_STORED2(
        factor_at(factors, size, x, y, z) * grid[coil_point(coil, x, y, z, size, extents)]);
}

// The points of voxels; others are 0 already.
// Geometry: voxels along x and y; z of one coil after the other.
__kernel void pad(const ulong items, __global const stored2 *in, int4 size, int4 extents,
                  __global const real *factors, ulong first_coil, __global real2 *grid)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2) % size.z;
    const size_t coil = get_global_id(2) / size.z;
    grid[coil_point(coil, x, y, z, size, extents)] =
        factor_at(factors, size, x, y, z) *
        TO_REAL2(in[coil_voxel(first_coil + coil, size, x, y, z)]);
}

// out[p][c] = grid[c][p]: what a sample reads of all coils then stands side by side.
// Geometry: points.
__kernel void interleave(const ulong items, __global const real2 *grid, __global real2 *out)
{
    ONLY(items)
    const size_t p = get_global_id(0);
    UNROLL
    for (int c = 0; c < COILS; ++c) {
        out[p * COILS + c] = grid[c * items + p];
    }
}

// out[order[i]] = the sum of points times the kernel of sample i, times its conjugate phase.
// grid: as interleave() leaves it.
// Geometry: work-groups of INTERPOLATE_GROUP, a team of LANES a sample.
__kernel __attribute__((reqd_work_group_size(INTERPOLATE_GROUP, 1, 1))) void
interpolate(int4 bins, __global const uint *order, __global const ushort4 *first_points,
            __global const real *offsets, ulong samples, __global const real2 *phases,
            int with_phases, __global const real *coefficients, ulong4 strides,
            __global const real2 *grid, ulong first_coil, int coils,
            __global stored2 *out)
{
    __local real along_y[INTERPOLATE_GROUP];
    __local real along_layers[INTERPOLATE_GROUP];
    __local real2 sums[COILS][INTERPOLATE_GROUP];
    const int item = get_local_id(0);
    const int lane = item % LANES, team = item - lane;
    real of_lane[DEGREE + 1];
    load_polynomial(coefficients, lane, of_lane);
    const size_t teams = get_global_size(0) / LANES;
    const size_t rounds = (samples + teams - 1) / teams; // the same for all, for barriers
    for (size_t round = 0; round < rounds; ++round) {
        const size_t s = round * teams + get_global_id(0) / LANES;
        const int valid = s < samples;
        const size_t i = valid ? s : 0;
        const ushort4 first = first_points[i];
        const real on_x = kernel_at(of_lane, offsets[i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        along_y[item] = TY > 1 ? kernel_at(of_lane, offsets[samples + i]) : 1;
        along_layers[item] = kernel_at(of_lane, offsets[(DIMENSIONS - 1) * samples + i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        real2 sum[COILS];
        UNROLL
        for (int c = 0; c < COILS; ++c) {
            sum[c] = (real2)(0, 0);
        }
        if (valid && lane < WIDTH) {
            uint rows[HEIGHT]; // of a layer
            real on_row[HEIGHT];
            UNROLL
            for (int k = 0; k < HEIGHT; ++k) {
                rows[k] = TY > 1 ? modulo(first.y + k, bins.y * TY) * (uint)strides.x : 0;
                on_row[k] = on_x * along_y[team + k];
            }
            __global const real2 *column = grid + modulo(first.x + lane, bins.x * TX) * COILS;
            UNROLL
            for (int l = 0; l < WIDTH; ++l) {
                __global const real2 *layer =
                    column + modulo(first.z + l, bins.z) * strides.y * COILS;
                const real on_layer = along_layers[team + l];
                UNROLL
                for (int k = 0; k < HEIGHT; ++k) {
                    const real factor = on_layer * on_row[k];
#if COILS == 1
                    sum[0] = fma((real2)(factor), layer[rows[k]], sum[0]);
#else
                    __global const real4 *point =
                        (__global const real4 *)layer + (size_t)rows[k] * (COILS / 2);
                    UNROLL
                    for (int c = 0; c < COILS; c += 2) {
                        const real4 two = point[c / 2];
                        sum[c] = fma((real2)(factor), two.lo, sum[c]);
                        sum[c + 1] = fma((real2)(factor), two.hi, sum[c + 1]);
                    }
#endif
                }
            }
        }
        UNROLL
        for (int c = 0; c < COILS; ++c) {
            sums[c][item] = sum[c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (valid) {
            for (int c = lane; c < coils; c += LANES) {
                real2 total = (real2)(0, 0);
                UNROLL
                for (int j = 0; j < WIDTH; ++j) {
                    total += sums[c][team + j];
                }
                if (with_phases) {
                    total = times(total, (real2)(phases[i].x, -phases[i].y));
                }
                out[(first_coil + c) * samples + order[i]] = TO_STORED2(total);
            }
        }
    }
}
