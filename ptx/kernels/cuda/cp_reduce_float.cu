// cp.reduce.async.bulk with every operation and type of floating-point numbers, to global memory.
#include "async.cuh"

#define CG(op,ty,K) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op "." ty " [%0],[%1],%2;"::"l"(g+(size_t)(K)*64),"r"(sa(src)),"r"(bytes):"memory")
extern "C" __global__ void a6_cp_reduce_float(u64*out,u32*g,const u32*in,u32 n){
  __shared__ alignas(128) u32 src[64]; int t=threadIdx.x;
  for(u32 i=0;i<n;i++){ for(int k=t;k<64;k+=32) src[k]=in[(k*5+i*11)%256]*2654435761u ^ in[(k+i)%256]; asm volatile("fence.proxy.async.shared::cta;":::"memory"); __syncwarp(); u32 bytes=16*(1+(i*5)%16);
   if(!t){ CG("add.noftz","f16",0); CG("min","f16",1); CG("max","f16",2); CG("add.noftz","bf16",3); CG("min","bf16",4); CG("max","bf16",5); CG("add","f32",6); CG("add","f64",7);
     asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;":::"memory"); } __syncwarp(); }
  out[t]=n; }
