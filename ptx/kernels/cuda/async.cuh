// Wrappers of what operations on another CTA's barrier need: addresses, its rank, barriers, the cluster's barrier.
#pragma once
#include <cstdint>
typedef uint32_t u32; typedef unsigned long long u64;
__device__ u32 sa(const void*p){return (u32)__cvta_generic_to_shared(p);}
__device__ u32 mapa(u32 a,u32 r){u32 o; asm volatile("mapa.shared::cluster.u32 %0,%1,%2;":"=r"(o):"r"(a),"r"(r)); return o;}
__device__ u32 rank(){u32 r; asm volatile("mov.u32 %0,%%cluster_ctarank;":"=r"(r)); return r;}
__device__ void init(u32 a,u32 n){asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;"::"r"(a),"r"(n):"memory");}
__device__ void expect(u32 a,u32 b){asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;"::"r"(a),"r"(b):"memory");}
__device__ void wait(u32 a,u32 par){u32 p=0; while(!p) asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p,[%1],%2; selp.u32 %0,1,0,p;}":"=r"(p):"r"(a),"r"(par):"memory");}
__device__ void csync(){asm volatile("fence.mbarrier_init.release.cluster; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;":::"memory");}
__device__ u64 raw(u32 a){u64 v; asm volatile("mbarrier.inval.shared::cta.b64 [%1]; ld.shared.b64 %0,[%1];":"=l"(v):"r"(a):"memory"); return v;}
