// F on a lattice sums x and -x together: S, D = rho(+x) +- rho(-x) of one row, as (re S, im S, re D,
// im D), for column x >= 0 or, when the lattice is `halved`, x + 1/2. Zeros beyond the lattice.
static real4 fold(__global const real2 *rho, int x_size, int first_x, int halved, int column)
{
    const int at = column - first_x;
    const int image = -column - halved - first_x;
    const real2 zero = (real2)(0.0f);
    const real2 plus = at >= 0 && at < x_size ? rho[at] : zero;
    const real2 minus = image >= 0 && image < x_size && image != at ? rho[image] : zero;
    return (real4)(plus + minus, plus - minus);
}

// What the sum of a sample becomes: turned back when the lattice is halved, and put where sample i
// of the arrays stands in the scan.
static void put_sample(wide2 sum, size_t i, __global const int *order, int with_order,
                       __global const real *positions, int stride, int halved,
                       __global real2 *out)
{
    out[with_order ? order[i] : i] =
        TO_REAL2(halved ? turned(sum, positions, stride, i, -1) : sum);
}

// The file that includes this has put_fold, which writes one to folded, as it reads them, at
// [column][...][row].
static void put_fold(real4 value, int column, int row, int row_stride, __global real *folded);

// Every S and D of rho[row][x_size], which begins at `voxel` of volumes; rows from row_count on are
// zeros. Geometry: row_stride, x.
__kernel void fold_rows(const ulong row_stride, __global const real2 *volumes, const ulong voxel,
                        const int x_size, const int first_x, const int halved,
                        const int row_count, __global real *folded)
{
    ONLY(row_stride)
    const int row = (int)get_global_id(0);
    const int column = (int)get_global_id(1);
    const real4 value = row < row_count
                             ? fold(volumes + voxel + (size_t)row * x_size, x_size, first_x, halved, column)
                             : (real4)(0.0f);
    put_fold(value, column, row, (int)row_stride, folded);
}
