// F on a lattice sums x and -x together: S, D = rho(+x) +- rho(-x) of one row, as (re S, im S, re D,
// im D), for column x >= 0 or, when the lattice is `halved`, x + 1/2. Zeros beyond the lattice.
static float4 fold(__global const float2 *rho, int x_size, int first_x, int halved, int column)
{
    const int at = column - first_x;
    const int image = -column - halved - first_x;
    const float2 zero = (float2)(0.0f);
    const float2 plus = at >= 0 && at < x_size ? rho[at] : zero;
    const float2 minus = image >= 0 && image < x_size && image != at ? rho[image] : zero;
    return (float4)(plus + minus, plus - minus);
}

// The file that includes this has put_fold, which writes one to folded, as it reads them, at
// [column][...][row].
static void put_fold(float4 value, int column, int row, int row_stride, __global float *folded);

// Every S and D of rho[row][x_size]; rows from row_count on are zeros. Geometry: row_stride, x.
__kernel void fold_rows(__global const float2 *rho, const int x_size, const int first_x,
                        const int halved, const int row_count, __global float *folded)
{
    const int row = (int)get_global_id(0);
    const int column = (int)get_global_id(1);
    const float4 value = row < row_count
                             ? fold(rho + (size_t)row * x_size, x_size, first_x, halved, column)
                             : (float4)(0.0f);
    put_fold(value, column, row, (int)get_global_size(0), folded);
}
