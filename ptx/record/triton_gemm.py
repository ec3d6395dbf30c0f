#!/usr/bin/env python3
"""Compiles `triton_gemm_tma` and `triton_gemm_cp_async` into the folder that it is called in (triton 3.9.0; no GPU is needed).

Their inputs are whole numbers of -4 to 4, so that every sum is exact. Lines and files of the source are taken out of the text.
"""
import os
os.environ['TRITON_DEFAULT_FP_FUSION'] = '1'
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
T=GPUTarget('cuda', 90, 32)

@triton.jit
def gemm_tma(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    pm = pid % nm
    pn = pid // nm
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=3):
        x = a.load([pm*BM, k*BK])
        y = b.load([pn*BN, k*BK])
        acc = tl.dot(x, y.T, acc)
    c.store([pm*BM, pn*BN], acc.to(tl.float16))

@triton.jit
def gemm_cp_async(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    rm = (pid % nm)*BM + tl.arange(0, BM)
    rn = (pid // nm)*BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    pa = a_ptr + rm[:, None]*K + rk[None, :]
    pb = b_ptr + rn[None, :]*K + rk[:, None]
    for k in tl.range(0, K, BK, num_stages=3):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK
    tl.store(c_ptr + rm[:, None]*N + rn[None, :], acc.to(tl.float16))

def build(name, fn, sig, cons, **opt):
    sig=dict(sig); sig.update({k:'constexpr' for k in cons})
    names=list(sig)
    attrs={(i,):[['tt.divisibility',16]] for i,n in enumerate(names) if sig[n].startswith('*') or sig[n]=='i32'}
    try:
        k=triton.compile(ASTSource(fn=fn,signature=sig,constexprs=cons,attrs=attrs),target=T,options=dict(opt,ptx_version=86))
    except Exception as e:
        print(name,'FAILED',str(e)[:300]); return
    ptx=k.asm['ptx']; open('triton_'+name+'.ptx','w').write(ptx)
    print(name,len(ptx),'shared',k.metadata.shared,'warps',k.metadata.num_warps, getattr(k.metadata,'global_scratch_size',None))
ptr={'a_ptr':'*fp16','b_ptr':'*fp16','c_ptr':'*fp16','M':'i32','N':'i32','K':'i32'}
build('gemm_tma',gemm_tma,ptr,dict(BM=64,BN=64,BK=64),num_warps=4,num_stages=3)
build('gemm_cp_async',gemm_cp_async,ptr,dict(BM=64,BN=64,BK=32),num_warps=4,num_stages=3)
