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
