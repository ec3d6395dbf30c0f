// Bulk copies from shared memory to the next CTA's, of 16 to 512 bytes, around a ring of four.
#include "async.cuh"

extern "C" __global__ void __cluster_dims__(4,1,1) a3_dsmem_copy(u64*out,const u32*in,u32 n){
  __shared__ alignas(128) u32 b[2][128]; __shared__ alignas(8) u64 bar[2]; u32 r=rank(); int t=threadIdx.x; if(!t){ init(sa(&bar[0]),1); init(sa(&bar[1]),1);} for(int k=t;k<128;k+=32){ b[0][k]=in[(k+r*17)%256]; b[1][k]=0; } asm volatile("fence.proxy.async.shared::cta;":::"memory"); csync();
  for(u32 i=0;i<n;i++){ int s=i&1,d=s^1; u32 bytes=16*(1+(i*3)%32); if(!t){ expect(sa(&bar[d]),bytes); u32 dst=mapa(sa(b[d]),(r+1)%4), m=mapa(sa(&bar[d]),(r+1)%4); asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];"::"r"(dst),"r"(sa(b[s])),"r"(bytes),"r"(m):"memory"); }
    wait(sa(&bar[d]),(i>>1)&1); __syncwarp(); csync(); for(int k=t;k<128;k+=32) b[d][k]=b[d][k]*3+k+i; asm volatile("fence.proxy.async.shared::cta;":::"memory"); csync(); }
  u64 s=0; for(int k=t;k<128;k+=32) s=s*7+b[0][k]+(u64)b[1][k]*11; out[r*32+t]=s; if(!t){ out[128+2*r]=raw(sa(&bar[0])); out[129+2*r]=raw(sa(&bar[1])); } csync(); }
