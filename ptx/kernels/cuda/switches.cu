// A small interpreter: a dense switch, which nvcc makes a tree of comparisons; division and remainder.
#include <cstdint>

extern "C" __global__ void switches(const uint32_t *program, uint32_t length, uint32_t *out) {
    uint32_t a = threadIdx.x, b = 1;
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t word = program[(i + threadIdx.x % 3) % length];
        const uint32_t value = word >> 4;
        switch (word & 15) {
        case 0: a += value; break;
        case 1: b ^= a * value; break;
        case 2: a = a / ((value & 0xff) + 1); break;
        case 3: b = b % ((value & 0xffff) + 3); break;
        case 4: a = __byte_perm(a, b, value & 0x7777); break;
        case 5: b = min(a, b) + max(value, 12u); break;
        case 6: a = static_cast<uint32_t>(abs(static_cast<int32_t>(b - a))); break;
        case 7: a = (a << 7) | (b >> 25); break;
        case 8: b -= a; break;
        case 9: a *= value | 1; break;
        case 10: b = __clz(a) + (b >> (value & 15)); break;
        case 11: a = a > b ? a - b : value; break;
        case 12: b = __umulhi(a, value); break;
        case 13: a = static_cast<uint32_t>(static_cast<int32_t>(a) >> (value & 31)); break;
        default: b = __popc(a) + (b << (value & 7)); break;
        }
    }
    out[2 * threadIdx.x] = a;
    out[2 * threadIdx.x + 1] = b;
}
