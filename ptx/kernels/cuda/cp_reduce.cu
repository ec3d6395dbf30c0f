// cp.reduce.async.bulk with every operation and type of whole numbers, to the next CTA's shared memory, around a ring of four.
#include "async.cuh"

#define CR(op,ty) asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." op "." ty " [%0],[%1],%2,[%3];"::"r"(mapa(sa(d[k]),(r+1)%4)),"r"(sa(src[k])),"r"(bytes),"r"(m):"memory"); k++
extern "C" __global__ void __cluster_dims__(4,1,1) a4_cp_reduce(u64*out,const u32*in,u32 n){
  __shared__ alignas(128) u32 d[12][32], src[12][32]; __shared__ alignas(8) u64 bar; u32 r=rank(); int t=threadIdx.x;
  if(!t) init(sa(&bar),1); for(int k=0;k<12;k++){ d[k][t]=in[(t*3+k*7+r*17)%256]; src[k][t]=in[(t*5+k*11+r*13)%256]%1000; }
  asm volatile("fence.proxy.async.shared::cta;":::"memory"); csync(); u64 s=0;
  for(u32 i=0;i<n;i++){ u32 bytes=16*(1+(i*3)%8); if(!t){ expect(sa(&bar),bytes*12); u32 m=mapa(sa(&bar),(r+1)%4); int k=0;
     CR("add","u32"); CR("add","s32"); CR("add","u64"); CR("min","u32"); CR("min","s32"); CR("max","u32"); CR("max","s32"); CR("inc","u32"); CR("dec","u32"); CR("and","b32"); CR("or","b32"); CR("xor","b32"); }
    wait(sa(&bar),i&1); __syncwarp(); csync(); for(int k=0;k<12;k++){ s=s*7+d[k][t]; src[k][t]=src[k][t]*3+t+i; } asm volatile("fence.proxy.async.shared::cta;":::"memory"); csync(); }
  out[r*32+t]=s; if(!t) out[128+r]=raw(sa(&bar)); csync(); }
