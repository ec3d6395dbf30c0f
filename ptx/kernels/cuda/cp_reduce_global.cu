// cp.reduce.async.bulk with every operation and type of whole numbers, to global memory.
#include "async.cuh"

#define CG(op,ty,K) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op "." ty " [%0],[%1],%2;"::"l"(g+(size_t)(K)*64),"r"(sa(src)),"r"(bytes):"memory")
extern "C" __global__ void a5_cp_reduce_global(u64*out,u32*g,const u32*in,u32 n){
  __shared__ alignas(128) u32 src[64]; int t=threadIdx.x; u64 s=0;
  for(u32 i=0;i<n;i++){ for(int k=t;k<64;k+=32) src[k]=in[(k*5+i*11)%256]; asm volatile("fence.proxy.async.shared::cta;":::"memory"); __syncwarp(); u32 bytes=16*(1+(i*5)%16);
   if(!t){ CG("add","u32",0); CG("add","s32",1); CG("add","u64",2); CG("min","u32",3); CG("min","s32",4); CG("max","u32",5); CG("max","s32",6); CG("inc","u32",7); CG("dec","u32",8); CG("and","b32",9); CG("or","b32",10); CG("xor","b32",11); CG("and","b64",12); CG("or","b64",13); CG("xor","b64",14);
     CG("min","u64",15); CG("max","u64",16); CG("min","s64",17); CG("max","s64",18); 
     asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;":::"memory"); } __syncwarp(); }
  if(!t) asm volatile("cp.async.bulk.wait_group 0;":::"memory"); __syncwarp(); asm volatile("fence.proxy.async.global;":::"memory"); for(int k=0;k<19;k++) s=s*5+g[k*64+t]+g[k*64+32+t]; out[t]=s; }
