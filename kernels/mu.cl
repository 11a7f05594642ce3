// mu_cm = conj(phi_m) w_m d_cm, one work-item a value; phi and w are read once a coil.
// Geometry: x over samples (at least sample_count work-items), y over coils.
// Error: recon/base/tolerance.hpp, mu.

__kernel void mu(__global const float2 *phi, __global const float *weights,
                 __global const float2 *samples, const int sample_count, __global float2 *out)
{
    const int m = (int)get_global_id(0);
    if (m >= sample_count) {
        return;
    }
    const size_t i = get_global_id(1) * (size_t)sample_count + m;
    const float2 f = phi[m] * weights[m];
    const float2 d = samples[i];
    out[i] = (float2)(f.x * d.x + f.y * d.y, f.x * d.y - f.y * d.x);
}
