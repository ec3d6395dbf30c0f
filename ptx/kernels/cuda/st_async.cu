// st.async of 4, 8 and 16 bytes to the other CTA, complete on its barrier.
#include "async.cuh"

extern "C" __global__ void __cluster_dims__(2,1,1) a1_st_async(u64*out,const u32*in,u32 n){
  __shared__ alignas(16) u32 box[32][8]; __shared__ alignas(8) u64 bar; u32 a=sa(&bar),r=rank(); int t=threadIdx.x; if(!t) init(a,1); csync(); u32 s=0, other=mapa(a,r^1), dst=mapa(sa(box[t]),r^1);
  for(u32 i=0;i<n;i++){ if(!t) expect(a,32*(4+8+16)); u32 v=in[(t*7+i+r*13)%256];
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%1,[%2];"::"r"(dst),"r"(v),"r"(other):"memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0],%1,[%2];"::"r"(dst+8),"l"((u64)v*v),"r"(other):"memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0],{%1,%2,%3,%4},[%5];"::"r"(dst+16),"r"(v+1),"r"(v+2),"r"(v+3),"r"(v^i),"r"(other):"memory");
    wait(a,i&1); __syncwarp(); for(int k=0;k<8;k++) if(k!=1) s=s*5+box[t][k]; csync(); }
  out[r*32+t]=s; if(!t) out[64+r]=raw(a); csync(); }
