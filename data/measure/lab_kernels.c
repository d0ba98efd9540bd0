/*
 * The kernels of the lab exercise, one source for all: plain C over values of three types.
 *
 *   CUDA   lab_kernels.ptx beside this file, made from it by tools/lab_kernels.sh
 *   HIP    this text, compiled on the machine by its runtime compiler
 *   tests  this text, compiled for the processor (LAB_HOST)
 *
 * Every kernel is a loop over elements that each thread strides through, so that any grid will do;
 * sums are in float32. dtype: 0 float32, 1 float16, 2 bfloat16. Half types are converted by integer
 * arithmetic, rounding to nearest even, which every compute capability can do.
 */
#ifndef LAB_HOST
#if defined(__HIP__) || defined(__HIPCC_RTC__) || defined(__CUDACC_RTC__)
#define LAB_KERNEL  extern "C" __global__ void
#define LAB_INLINE  static __device__ inline
#define LAB_THREAD  ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define LAB_THREADS ((u64)gridDim.x * blockDim.x)
#else /* clang for NVPTX, without any header */
#define LAB_KERNEL extern "C" __attribute__((global)) void
#define LAB_INLINE static __attribute__((device)) inline
#define LAB_THREAD                                                                                 \
    ((u64)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +                         \
     __nvvm_read_ptx_sreg_tid_x())
#define LAB_THREADS ((u64)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x())
#endif
#endif

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;

LAB_INLINE float float_of(u32 bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

LAB_INLINE u32 bits_of(float value)
{
    u32 bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

LAB_INLINE float from_half(u32 half)
{
    const u32 sign = (half & 0x8000) << 16;
    const u32 exponent = half >> 10 & 31;
    const u32 fraction = half & 0x3ff;
    if (exponent == 31) {
        return float_of(sign | 0x7f800000 | fraction << 13);
    }
    if (exponent == 0) { /* fraction * 2^-24 */
        const float value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

/* bits >> shift, to nearest, ties to even. */
LAB_INLINE u32 shift_rounded(u32 bits, u32 shift)
{
    const u32 kept = bits >> shift;
    const u32 rest = bits & ((1u << shift) - 1);
    const u32 half = 1u << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1) != 0));
}

LAB_INLINE u32 to_half(float value)
{
    const u32 bits = bits_of(value);
    const u32 sign = bits >> 16 & 0x8000;
    const u32 size = bits & 0x7fffffff;
    if (size >= 0x47800000) { /* 65536 and more */
        return sign | (size > 0x7f800000 ? 0x7e00 : 0x7c00);
    }
    if (size < 0x33000000) { /* below 2^-25 */
        return sign;
    }
    if (size < 0x38800000) { /* below 2^-14: in units of 2^-24 */
        return sign | shift_rounded((size & 0x7fffff) | 0x800000, 126 - (size >> 23));
    }
    return sign | shift_rounded(size - 0x38000000, 13);
}

LAB_INLINE u32 to_bfloat(float value)
{
    const u32 bits = bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return bits >> 16 | 64; /* stays not a number */
    }
    return (bits & 0x80000000) >> 16 | shift_rounded(bits & 0x7fffffff, 16);
}

LAB_INLINE float load(const void *from, u64 at, int dtype)
{
    if (dtype == 0) {
        return ((const float *)from)[at];
    }
    const u32 bits = ((const u16 *)from)[at];
    return dtype == 1 ? from_half(bits) : float_of(bits << 16);
}

LAB_INLINE void store(void *to, u64 at, float value, int dtype)
{
    if (dtype == 0) {
        ((float *)to)[at] = value;
    } else {
        ((u16 *)to)[at] = (u16)(dtype == 1 ? to_half(value) : to_bfloat(value));
    }
}

/* Value number at of a seed: splitmix64, its upper 24 bits as -1 <= value < 1, times scale. */
LAB_INLINE float random_value(u64 seed, u64 at, float scale)
{
    u64 z = seed + (at + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return scale * ((float)(z >> 40) * 0x1p-23f - 1);
}

LAB_KERNEL zirve_fill(void *to, u64 count, u64 seed, float scale, int dtype)
{
    for (u64 i = LAB_THREAD; i < count; i += LAB_THREADS) {
        store(to, i, random_value(seed, i, scale), dtype);
    }
}

/* to = a b (+ bias): element r, k of a is at r * a_row + k * a_inner, so either may be transposed.
 */
LAB_KERNEL zirve_matmul(void *to, const void *a, const void *b, const void *bias, u64 rows,
                        u64 columns, u64 inner, u64 a_row, u64 a_inner, u64 b_inner, u64 b_column,
                        int dtype)
{
    for (u64 i = LAB_THREAD; i < rows * columns; i += LAB_THREADS) {
        const u64 row = i / columns;
        const u64 column = i % columns;
        float sum = bias != 0 ? load(bias, column, dtype) : 0;
        for (u64 k = 0; k < inner; k++) {
            sum += load(a, row * a_row + k * a_inner, dtype) *
                   load(b, k * b_inner + column * b_column, dtype);
        }
        store(to, i, sum, dtype);
    }
}

LAB_KERNEL zirve_relu(void *to, const void *from, u64 count, int dtype)
{
    for (u64 i = LAB_THREAD; i < count; i += LAB_THREADS) {
        const float value = load(from, i, dtype);
        store(to, i, value > 0 ? value : 0, dtype);
    }
}

/* Keeps of a gradient what the activation let through; in place. */
LAB_KERNEL zirve_relu_back(void *gradient, const void *output, u64 count, int dtype)
{
    for (u64 i = LAB_THREAD; i < count; i += LAB_THREADS) {
        if (!(load(output, i, dtype) > 0)) {
            store(gradient, i, 0, dtype);
        }
    }
}

/* Sums of squared differences; thread p sums every parts-th element. */
LAB_KERNEL zirve_loss_parts(float *to, const void *output, const void *target, u64 count, u64 parts,
                            int dtype)
{
    for (u64 p = LAB_THREAD; p < parts; p += LAB_THREADS) {
        float sum = 0;
        for (u64 i = p; i < count; i += parts) {
            const float difference = load(output, i, dtype) - load(target, i, dtype);
            sum += difference * difference;
        }
        to[p] = sum;
    }
}

LAB_KERNEL zirve_loss_total(float *to, const float *from, u64 parts, float scale)
{
    for (u64 i = LAB_THREAD; i < 1; i += LAB_THREADS) {
        float sum = 0;
        for (u64 p = 0; p < parts; p++) {
            sum += from[p];
        }
        to[i] = sum * scale;
    }
}

LAB_KERNEL zirve_loss_back(void *to, const void *output, const void *target, u64 count, float scale,
                           int dtype)
{
    for (u64 i = LAB_THREAD; i < count; i += LAB_THREADS) {
        store(to, i, scale * (load(output, i, dtype) - load(target, i, dtype)), dtype);
    }
}

LAB_KERNEL zirve_column_sums(void *to, const void *from, u64 rows, u64 columns, int dtype)
{
    for (u64 i = LAB_THREAD; i < columns; i += LAB_THREADS) {
        float sum = 0;
        for (u64 row = 0; row < rows; row++) {
            sum += load(from, row * columns + i, dtype);
        }
        store(to, i, sum, dtype);
    }
}

LAB_KERNEL zirve_sgd(void *values, const void *gradient, u64 count, float rate, int dtype)
{
    for (u64 i = LAB_THREAD; i < count; i += LAB_THREADS) {
        store(values, i, load(values, i, dtype) - rate * load(gradient, i, dtype), dtype);
    }
}

/* Adam (Kingma and Ba, arXiv 1412.6980), betas 0.9 and 0.999, epsilon 1e-8; states in float32.
 * correction: 1 - beta^step. */
LAB_KERNEL zirve_adam(void *values, const void *gradient, float *first, float *second, u64 count,
                      float rate, float first_correction, float second_correction, int dtype)
{
    for (u64 i = LAB_THREAD; i < count; i += LAB_THREADS) {
        const float g = load(gradient, i, dtype);
        first[i] = 0.9f * first[i] + 0.1f * g;
        second[i] = 0.999f * second[i] + 0.001f * g * g;
        const float step =
            first[i] / first_correction / (__builtin_sqrtf(second[i] / second_correction) + 1e-8f);
        store(values, i, load(values, i, dtype) - rate * step, dtype);
    }
}
