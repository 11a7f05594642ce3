// Sine and cosine of `reals`, the vectors of tuned.cl, by its TRIGONOMETRY.
#if DOUBLES
// Taylor in |r| <= pi / 2: right to 2e-18 and 2e-17, beside what rounding adds.
static reals sine(reals r)
{
    const reals s = r * r;
    reals p = 1.9572941063391261e-20 * s - 8.2206352466243297e-18;
    p = p * s + 2.8114572543455208e-15;
    p = p * s - 7.6471637318198164e-13;
    p = p * s + 1.6059043836821613e-10;
    p = p * s - 2.5052108385441720e-08;
    p = p * s + 2.7557319223985893e-06;
    p = p * s - 1.9841269841269841e-04;
    p = p * s + 8.3333333333333333e-03;
    p = p * s - 1.6666666666666666e-01;
    return (r * s) * p + r;
}

static reals cosine(reals r)
{
    const reals s = r * r;
    reals p = 4.1103176233121648e-19 * s - 1.5619206968586225e-16;
    p = p * s + 4.7794773323873853e-14;
    p = p * s - 1.1470745597729725e-11;
    p = p * s + 2.0876756987868099e-09;
    p = p * s - 2.7557319223985888e-07;
    p = p * s + 2.4801587301587302e-05;
    p = p * s - 1.3888888888888889e-03;
    p = p * s + 4.1666666666666664e-02;
    p = p * s - 0.5;
    return p * s + 1.0;
}
#elif TRIGONOMETRY == 1
// Minimax in |r| <= 2 pi (1/4 + 1/32), where the phases are: right to 2e-8 and 2e-9, beside what
// rounding adds.
static reals sine(reals r)
{
    const reals s = r * r;
    reals p = 2.558955884524039e-06f * s - 0.00019785641052294523f;
    p = p * s + 0.008332688361406326f;
    p = p * s - 0.1666664183139801f;
    return (r * s) * p + r;
}

static reals cosine(reals r)
{
    const reals s = r * r;
    reals p = -2.5829285732470453e-07f * s + 2.4749504518695176e-05f;
    p = p * s - 0.0013888231478631496f;
    p = p * s + 0.04166663810610771f;
    p = p * s - 0.5f;
    return p * s + 1.0f;
}
#else
#define sine native_sin
#define cosine native_cos
#endif
