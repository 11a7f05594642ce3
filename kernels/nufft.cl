// Spreads the samples of a NUFFT onto its fine grid and interpolates them from it
// (recon/engines/opencl/nufft.cpp). Every sum has a fixed order: repeated runs give identical bits.
//
// Adjoint: the fine grid is divided into tiles of TX x TY points of two dimensions and LAYERS of
// the third, which a work-group each computes. A work-item has one point of each layer. The samples
// that reach the tile come by their first layer; a window of WIDTH layers in registers moves along
// with them and leaves behind what is finished. Samples are sorted by bins of TX x TY first points
// and by layer: those of a tile come from BINS_X x BINS_Y bins, and are merged as they are read. A
// tile of many samples is computed in chunks, which are added in their order.
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
#define TY 8
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
#define GROUP (TX * TY)
#define DIMENSIONS (TY > 1 ? 3 : 2)
#define HEIGHT (TY > 1 ? WIDTH : 1) // points of a kernel along y
#define TOGETHER 32 // work-items that run in step on most GPUs: a team
#define TEAMS (GROUP / TOGETHER)
#define ROWS (TOGETHER / TX) // of a team's points
#define BATCH 64 // samples that are read at a time
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

// before[e] = samples of the entries before e; before[entries] = all.
static void count_entries(Tile tile, int4 bins, __global const uint *starts, __local uint *before,
                          __local uint *sums)
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

// 32 bytes, 0 or 1, as bits, the first one the lowest.
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
    __local uint sums[GROUP];
    __local int2 place[BATCH]; // first point along x and y in the tile
    __local uchar reaches[TEAMS][BATCH] __attribute__((aligned(8))); // points of a team: 0 or 1
    __local real offset[BATCH * DIMENSIONS];
    __local real along_x[BATCH * TX];
    __local real along_y[BATCH * TY];
    __local real along_layers[BATCH * LANES] __attribute__((aligned(32)));
    __local real2 value[BATCH * COILS] __attribute__((aligned(32)));

    const int item = get_local_id(0);
    const int team = item / TOGETHER;
    const int x = item % TX, y = item / TX;
    const int4 chunk = chunks[get_group_id(0)];
    const int tiles_of_layers = (bins.z + LAYERS - 1) / LAYERS;
    Tile tile;
    tile.first_layer = chunk.x % tiles_of_layers * LAYERS;
    tile.layers = min(LAYERS, bins.z - tile.first_layer);
    tile.x = chunk.x / tiles_of_layers % bins.x;
    tile.y = chunk.x / tiles_of_layers / bins.x;
    const int entries = (tile.layers + WIDTH - 1) * BINS;
    count_entries(tile, bins, starts, before, sums);

    const int is_part = chunk.w >= 0;
    const size_t of_layer = is_part ? GROUP : strides.y;
    const size_t of_coil = is_part ? LAYERS * GROUP : strides.z;
    __global real2 *out =
        is_part ? parts + (size_t)chunk.w * COILS * LAYERS * GROUP + item
                : grid + tile.first_layer * strides.y + (tile.y * TY + y) * strides.x +
                      tile.x * TX + x;

    const int lane = item % LANES;
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
    UNROLL                                                                                         \
    for (int c = 0; c < COILS; ++c) {                                                              \
        if (cell >= WIDTH - 1) {                                                                   \
            out[c * of_coil + (cell - (WIDTH - 1)) * of_layer] = window[c][0];                     \
        }                                                                                          \
        UNROLL                                                                                     \
        for (int j = 0; j + 1 < WIDTH; ++j) {                                                      \
            window[c][j] = window[c][j + 1];                                                       \
        }                                                                                          \
        window[c][WIDTH - 1] = (real2)(0, 0);                                                      \
    }                                                                                              \
    ++cell;

    for (int begin = 0; begin < chunk.z; begin += BATCH) {
        const int count = min(BATCH, chunk.z - begin);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = count + item; i < BATCH; i += GROUP) {
            for (int t = 0; t < TEAMS; ++t) {
                reaches[t][i] = 0;
            }
        }
        for (int i = item; i < count; i += GROUP) {
            const uint p = chunk.y + begin + i;
            const int e = entry_of(p, entries, before);
            const uint s = starts[key_of_entry(e, tile, bins)] + p - before[e];
            const ushort4 first = first_points[s];
            const int2 at =
                (int2)(first.x % TX + TX * (e % BINS % BINS_X - REACH_X),
                       TY == 1 ? 0 : first.y % TY + TY * (e % BINS / BINS_X - REACH_Y));
            place[i] = at;
            for (int t = 0; t < TEAMS; ++t) {
                const int row = t * ROWS;
                reaches[t][i] = at.x + WIDTH > 0 &&
                                (TY == 1 || (at.y + WIDTH > row && at.y < row + ROWS));
            }
            for (int d = 0; d < DIMENSIONS; ++d) {
                offset[d * BATCH + i] = offsets[d * samples + s];
            }
            UNROLL
            for (int c = 0; c < COILS; ++c) {
                value[i * COILS + c] = values[(size_t)s * COILS + c];
            }
        }
        for (int i = item; i < BATCH * TX; i += GROUP) {
            along_x[i] = 0;
        }
        for (int i = item; i < BATCH * TY; i += GROUP) {
            along_y[i] = TY == 1 ? 1 : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item / LANES; i < count; i += GROUP / LANES) {
            const int2 at = place[i];
            const real on_x = kernel_at(of_lane, offset[i]);
            if (lane < WIDTH && at.x + lane >= 0 && at.x + lane < TX) {
                along_x[i * TX + at.x + lane] = on_x;
            }
            if (TY > 1) {
                const real on_y = kernel_at(of_lane, offset[BATCH + i]);
                if (lane < WIDTH && at.y + lane >= 0 && at.y + lane < TY) {
                    along_y[i * TY + at.y + lane] = on_y;
                }
            }
            along_layers[i * LANES + lane] =
                kernel_at(of_lane, offset[(DIMENSIONS - 1) * BATCH + i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint low = bits_of(reaches[team]), high = bits_of(reaches[team] + 32);
        int done = 0;
        while (true) {
            // The samples whose first layer is the window's.
            const int stop = clamp((int)(before[(cell + 1) * BINS] - chunk.y) - begin, 0, count);
            for (int word = done / 32; word * 32 < stop; ++word) {
                uint some = word == 0 ? low : high;
                some &= done > word * 32 ? ~0u << (done - word * 32) : ~0u;
                some &= stop < word * 32 + 32 ? (1u << (stop - word * 32)) - 1 : ~0u;
                while (some != 0) {
                    const int bit = 31 - (int)clz(some);
                    const int i = word * 32 + bit;
                    some ^= 1u << bit;
                    real on_layer[WIDTH];
                    UNROLL
                    for (int j = 0; j < WIDTH; ++j) {
                        on_layer[j] = along_layers[i * LANES + j];
                    }
                    const real on_plane = along_x[i * TX + x] * along_y[i * TY + y];
                    UNROLL
                    for (int c = 0; c < COILS; ++c) {
                        const real2 v = on_plane * value[i * COILS + c];
                        UNROLL
                        for (int j = 0; j < WIDTH; ++j) {
                            window[c][j].x = fma(v.x, on_layer[j], window[c][j].x);
                            window[c][j].y = fma(v.y, on_layer[j], window[c][j].y);
                        }
                    }
                }
            }
            done = stop;
            if (stop == count) {
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
// Geometry: work-groups of GROUP, a team of LANES a sample.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
interpolate(int4 bins, __global const uint *order, __global const ushort4 *first_points,
            __global const real *offsets, ulong samples, __global const real2 *phases,
            int with_phases, __global const real *coefficients, ulong4 strides,
            __global const real2 *grid, ulong first_coil, int coils,
            __global stored2 *out)
{
    __local real along_y[GROUP];
    __local real along_layers[GROUP];
    __local real2 sums[COILS][GROUP];
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
