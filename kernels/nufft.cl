// The NUFFT between its samples and its fine grid (recon/engines/opencl/nufft.cpp). Every sum has a
// fixed order: repeated runs give identical bits.
//
// Adjoint: the fine grid is divided into tiles of TX x TY points of two dimensions and LAYERS of
// the third, which a work-group each computes. A work-item has one point of each layer. The samples
// that reach the tile come by their first layer; a window of WIDTH layers in registers moves along
// with them and leaves behind what is finished. Samples are sorted by bins of TX x TY first points
// and by layer: those of a tile come from BINS_X x BINS_Y bins, and are merged as they are read.
// A tile of many samples is computed in chunks, which are added in their order.
//
// Forward: a team of LANES work-items takes one sample at a time, a column of the fine grid each.
//
// Defines: DOUBLES; WIDTH and DEGREE of the kernel's polynomials; LANES, the power of two at or
// above WIDTH; COILS, transformed at a time; TX, TY, LAYERS. A plane has TY = 1 and its second
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

#define GROUP (TX * TY)
#define BATCH GROUP // samples that are read at a time
#define BINS_X (1 + (WIDTH - 2 + TX) / TX)
#define BINS_Y (TY == 1 ? 1 : 1 + (WIDTH - 2 + TY) / TY)
#define BINS (BINS_X * BINS_Y)
#define CELLS (LAYERS + WIDTH - 1) // first layers of samples that reach a tile
#define ENTRIES (CELLS * BINS)

// The kernel's point `lane` for the samples of one dimension, in t = 2 offset - 1.
static void load_polynomial(__global const real *coefficients, int lane, real *of_lane)
{
    for (int p = 0; p <= DEGREE; ++p) {
        of_lane[p] = lane < WIDTH ? coefficients[p * WIDTH + lane] : 0;
    }
}

static real kernel_at(const real *of_lane, real t)
{
    real value = of_lane[0];
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
                          __global const real *values, int are_complex, ulong first_coil,
                          int coils, __global real2 *sorted)
{
    ONLY(items)
    const size_t i = get_global_id(0);
    for (int c = 0; c < COILS; ++c) {
        real2 value = (real2)(0, 0);
        if (c < coils) {
            const size_t at = (first_coil + c) * items + order[i];
            value = are_complex ? vload2(at, values) : (real2)(values[at], 0);
        }
        sorted[i * COILS + c] = with_phases ? times(value, phases[i]) : value;
    }
}

// What a tile's samples are read by.
typedef struct {
    int bin_x, bin_y; // of the tile's own points
    int first_layer; // of the tile
    int layers;
} Tile;

// Entry e of a tile: the samples of one bin with one first layer, which stand one after the other.
static size_t key_of_entry(int e, Tile tile, int4 bins)
{
    const int bin = e % BINS;
    const int x = modulo(tile.bin_x - bin % BINS_X, bins.x);
    const int y = modulo(tile.bin_y - bin / BINS_X, bins.y);
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
    __local uint sample[BATCH];
    __local int4 place[BATCH]; // first point along x and y in the tile, first layer
    __local real along_x[BATCH * TX];
    __local real along_y[BATCH * TY];
    __local real along_layers[BATCH * LANES];
    __local real2 value[BATCH * COILS];

    const int item = get_local_id(0);
    const int x = item % TX, y = item / TX;
    const int4 chunk = chunks[get_group_id(0)];
    const int tiles_of_layers = (bins.z + LAYERS - 1) / LAYERS;
    Tile tile;
    tile.first_layer = chunk.x % tiles_of_layers * LAYERS;
    tile.layers = min(LAYERS, bins.z - tile.first_layer);
    tile.bin_x = chunk.x / tiles_of_layers % bins.x;
    tile.bin_y = chunk.x / tiles_of_layers / bins.x;
    const int entries = (tile.layers + WIDTH - 1) * BINS;
    count_entries(tile, bins, starts, before, sums);

    const int is_part = chunk.w >= 0;
    const size_t of_layer = is_part ? GROUP : strides.y;
    const size_t of_coil = is_part ? LAYERS * GROUP : strides.z;
    __global real2 *out =
        is_part ? parts + (size_t)chunk.w * COILS * LAYERS * GROUP + item
                : grid + tile.first_layer * strides.y + (tile.bin_y * TY + y) * strides.x +
                      tile.bin_x * TX + x;

    const int lane = item % LANES;
    real of_lane[DEGREE + 1];
    load_polynomial(coefficients, lane, of_lane);
    real2 window[COILS][WIDTH];
    for (int c = 0; c < COILS; ++c) {
        for (int j = 0; j < WIDTH; ++j) {
            window[c][j] = (real2)(0, 0);
        }
    }
    int cell = 0; // the window's first layer, from WIDTH - 1 before the tile on

// Writes the window's first layer, which no other sample reaches.
#define MOVE_WINDOW                                                                                \
    {                                                                                              \
        for (int c = 0; c < COILS; ++c) {                                                          \
            if (cell >= WIDTH - 1) {                                                               \
                out[c * of_coil + (cell - (WIDTH - 1)) * of_layer] = window[c][0];                 \
            }                                                                                      \
            for (int j = 0; j + 1 < WIDTH; ++j) {                                                  \
                window[c][j] = window[c][j + 1];                                                   \
            }                                                                                      \
            window[c][WIDTH - 1] = (real2)(0, 0);                                                  \
        }                                                                                          \
        ++cell;                                                                                    \
    }

    for (int begin = 0; begin < chunk.z; begin += BATCH) {
        const int count = min(BATCH, chunk.z - begin);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < count) {
            const uint p = chunk.y + begin + item;
            const int e = entry_of(p, entries, before);
            const uint s = starts[key_of_entry(e, tile, bins)] + p - before[e];
            const ushort4 first = first_points[s];
            sample[item] = s;
            place[item] = (int4)(first.x % TX - TX * (e % BINS % BINS_X),
                                 first.y % TY - TY * (e % BINS / BINS_X), e / BINS, 0);
        }
        for (int i = item; i < BATCH * TX; i += GROUP) {
            along_x[i] = 0;
        }
        for (int i = item; i < BATCH * TY; i += GROUP) {
            along_y[i] = TY == 1 ? 1 : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item / LANES; i < count; i += GROUP / LANES) {
            const int4 at = place[i];
            const size_t s = sample[i];
            const real on_x = kernel_at(of_lane, offsets[s]);
            if (lane < WIDTH && at.x + lane >= 0 && at.x + lane < TX) {
                along_x[i * TX + at.x + lane] = on_x;
            }
            if (TY > 1) {
                const real on_y = kernel_at(of_lane, offsets[samples + s]);
                if (lane < WIDTH && at.y + lane >= 0 && at.y + lane < TY) {
                    along_y[i * TY + at.y + lane] = on_y;
                }
            }
            along_layers[i * LANES + lane] =
                kernel_at(of_lane, offsets[(TY > 1 ? 2 : 1) * samples + s]);
        }
        for (int i = item; i < count * COILS; i += GROUP) {
            value[i] = values[(size_t)sample[i / COILS] * COILS + i % COILS];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < count; ++i) {
            while (cell < place[i].z) {
                MOVE_WINDOW
            }
            const real on_plane = along_x[i * TX + x] * along_y[i * TY + y];
            real on_layer[WIDTH];
            for (int j = 0; j < WIDTH; ++j) {
                on_layer[j] = along_layers[i * LANES + j];
            }
            for (int c = 0; c < COILS; ++c) {
                const real2 v = on_plane * value[i * COILS + c];
                for (int j = 0; j < WIDTH; ++j) {
                    window[c][j].x = fma(v.x, on_layer[j], window[c][j].x);
                    window[c][j].y = fma(v.y, on_layer[j], window[c][j].y);
                }
            }
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

// Frequency n - size / 2 on the fine grid.
static int point_of(int n, int size, int extent)
{
    return modulo(n - size / 2, extent);
}

// Geometry: voxels along x and y; z of one coil after the other.
__kernel void crop(const ulong items, __global const real2 *grid, int4 size, int4 extents,
                   __global const real *factors, ulong first_coil, __global real2 *out)
{
    ONLY(items)
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2) % size.z;
    const size_t coil = get_global_id(2) / size.z;
    const real factor =
        factors[x] * factors[size.x + y] * factors[size.x + size.y + z];
    const size_t points = (size_t)extents.x * extents.y * extents.z;
    const size_t voxels = (size_t)size.x * size.y * size.z;
    out[(first_coil + coil) * voxels + index_in(size, x, y, z)] =
        factor * grid[coil * points + index_in(extents, point_of(x, size.x, extents.x),
                                               point_of(y, size.y, extents.y),
                                               point_of(z, size.z, extents.z))];
}

// Which frequency a point of the fine grid is, or -1.
static int frequency_of(int point, int size, int extent)
{
    const int n = point + size / 2 < size ? point + size / 2 : point + size / 2 - extent;
    return n >= 0 && n < size ? n : -1;
}

// Geometry: points along x and y; z of one coil after the other.
__kernel void pad(const ulong items, __global const real2 *in, int4 size, int4 extents,
                  __global const real *factors, ulong first_coil, __global real2 *grid)
{
    ONLY(items)
    const int gx = get_global_id(0), gy = get_global_id(1), gz = get_global_id(2) % extents.z;
    const size_t coil = get_global_id(2) / extents.z;
    const int x = frequency_of(gx, size.x, extents.x);
    const int y = frequency_of(gy, size.y, extents.y);
    const int z = frequency_of(gz, size.z, extents.z);
    real2 value = (real2)(0, 0);
    if (x >= 0 && y >= 0 && z >= 0) {
        const size_t voxels = (size_t)size.x * size.y * size.z;
        value = factors[x] * factors[size.x + y] * factors[size.x + size.y + z] *
                in[(first_coil + coil) * voxels + index_in(size, x, y, z)];
    }
    grid[coil * extents.x * extents.y * extents.z + index_in(extents, gx, gy, gz)] = value;
}

// out[order[i]] = the sum of points times the kernel of sample i, times its conjugate phase.
// Geometry: work-groups of GROUP, a team of LANES a sample.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
interpolate(int4 bins, __global const uint *order, __global const ushort4 *first_points,
            __global const real *offsets, ulong samples, __global const real2 *phases,
            int with_phases, __global const real *coefficients, ulong4 strides,
            __global const real2 *grid, ulong first_coil, int coils, __global real2 *out)
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
        along_layers[item] = kernel_at(of_lane, offsets[(TY > 1 ? 2 : 1) * samples + i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        real2 sum[COILS];
        for (int c = 0; c < COILS; ++c) {
            sum[c] = (real2)(0, 0);
        }
        if (valid && lane < WIDTH) {
            __global const real2 *column = grid + modulo(first.x + lane, bins.x * TX);
            for (int l = 0; l < WIDTH; ++l) {
                const size_t layer = modulo(first.z + l, bins.z) * strides.y;
                for (int k = 0; k < (TY > 1 ? WIDTH : 1); ++k) {
                    const size_t at =
                        layer + (TY > 1 ? modulo(first.y + k, bins.y * TY) * strides.x : 0);
                    const real factor = along_layers[team + l] * along_y[team + k];
                    for (int c = 0; c < COILS; ++c) {
                        sum[c] += factor * column[c * strides.z + at];
                    }
                }
            }
        }
        for (int c = 0; c < COILS; ++c) {
            sums[c][item] = on_x * sum[c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (valid) {
            for (int c = lane; c < coils; c += LANES) {
                real2 total = (real2)(0, 0);
                for (int j = 0; j < WIDTH; ++j) {
                    total += sums[c][team + j];
                }
                if (with_phases) {
                    total = times(total, (real2)(phases[i].x, -phases[i].y));
                }
                out[(first_coil + c) * samples + order[i]] = total;
            }
        }
    }
}
