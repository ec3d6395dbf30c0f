#include <cstdint>
template <class T> struct Params { T a[4]; short n; char c; struct { int lo, hi; } range; uint64_t seed; };
struct Head { uint32_t a, b; uint64_t c; };
__device__ __noinline__ uint32_t mix(Params<unsigned> p, int i) { return p.a[i & 3] * p.n + uint32_t(p.seed >> (i & 31)) + p.range.hi - p.range.lo; }
__global__ void by_value(Params<unsigned> p, uint3 size, const Head *head, unsigned *out) {
  __shared__ uint64_t bar; __shared__ unsigned box[60];
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), n = blockDim.x * blockDim.y * blockDim.z;
  unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned a = (unsigned)__cvta_generic_to_shared(&bar);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(a), "r"(n) : "memory");
  __syncthreads();
  box[t] = mix(p, t) + size.x * threadIdx.x + size.y * threadIdx.y + size.z * blockIdx.z + head->a + (unsigned)head->c;
  uint64_t tok;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(tok) : "r"(a) : "memory");
  asm volatile("{\n.reg .pred done;\nagain_%=:\nmbarrier.test_wait.shared.b64 done, [%0], %1;\n@!done bra again_%=;\n}" ::"r"(a), "l"(tok) : "memory");
  out[b * n + t] = box[(t + 7) % n] ^ p.c;
}
