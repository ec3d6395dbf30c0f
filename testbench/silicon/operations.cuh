// What the recordings call an operation, as the PTX instruction that it is.
//
// One list serves all: the names of the column `op`, what an operation reads and gives back, and the instruction. The
// words here are all that a recording depends on, so each instruction is written out.
#pragma once
#include <cstdint>

// What the columns `arg` and `token` hold, what `result` holds, and whether the address is one of the
// cluster.
enum class Operand { none, arg, token };
enum class Result { none, token, predicate, count };
enum class Where { here, cluster };

//        name            operand  result     from
#define OPERATIONS(OP)                                \
    OP(init,          arg,   none,      here)      \
    OP(inval,         none,  none,      here)      \
    OP(arrive,        none,  token,     here)      \
    OP(arrive_n,      arg,   token,     here)      \
    OP(arrive_nc,     arg,   token,     here)      \
    OP(arrive_tx,     arg,   token,     here)      \
    OP(drop,          none,  token,     here)      \
    OP(drop_n,        arg,   token,     here)      \
    OP(drop_nc,       arg,   token,     here)      \
    OP(drop_tx,       arg,   token,     here)      \
    OP(expect_tx,     arg,   none,      here)      \
    OP(complete_tx,   arg,   none,      here)      \
    OP(test_state,    token, predicate, here)      \
    OP(test_parity,   arg,   predicate, here)      \
    OP(try_state,     token, predicate, here)      \
    OP(try_parity,    arg,   predicate, here)      \
    OP(pending,       token, count,     here)      \
    OP(cpasync,       none,  none,      here)      \
    OP(cpasync_noinc, none,  none,      here)      \
    OP(r_arrive,      none,  none,      cluster)   \
    OP(r_arrive_n,    arg,   none,      cluster)   \
    OP(r_arrive_tx,   arg,   none,      cluster)   \
    OP(r_drop,        none,  none,      cluster)   \
    OP(r_drop_n,      arg,   none,      cluster)   \
    OP(r_drop_tx,     arg,   none,      cluster)   \
    OP(r_expect,      arg,   none,      cluster)   \
    OP(r_complete,    arg,   none,      cluster)

enum class Op {
#define NAME(name, operand, result, from) name,
    OPERATIONS(NAME)
#undef NAME
};

struct Operation {
    const char *name;
    Op op;
    Operand operand;
    Result result;
    Where from;
};

static const Operation OPERATION[] = {
#define ROW(name, operand, result, from) {#name, Op::name, Operand::operand, Result::result, Where::from},
    OPERATIONS(ROW)
#undef ROW
};

#ifdef __CUDACC__ // what follows is for the GPU; without it the rest is plain C++, for the tests
// One instruction, with a 64-bit token, with a predicate, or with nothing as its result.
#define GIVES_TOKEN(instruction, ...) asm volatile(instruction : "=l"(result) : __VA_ARGS__ : "memory")
#define GIVES_PREDICATE(instruction, ...)                                                                              \
    asm volatile("{ .reg .pred done; " instruction " selp.u64 %0, 1, 0, done; }"                                       \
                 : "=l"(result) : __VA_ARGS__ : "memory")
#define GIVES_NOTHING(instruction, ...) asm volatile(instruction : : __VA_ARGS__ : "memory")

// Does `op` on the barrier at shared address `at`; for an operation of .shared::cluster, `at` is an address of
// that space. Gives the 64-bit register of the result, zero where there is none.
static __device__ uint64_t perform(Op op, uint32_t at, uint32_t arg, uint64_t token) {
    uint64_t result = 0;
    switch (op) {
    case Op::init:        GIVES_NOTHING("mbarrier.init.shared::cta.b64 [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::inval:       GIVES_NOTHING("mbarrier.inval.shared::cta.b64 [%0];", "r"(at)); break;
    case Op::arrive:      GIVES_TOKEN("mbarrier.arrive.shared::cta.b64 %0, [%1];", "r"(at)); break;
    case Op::arrive_n:    GIVES_TOKEN("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::arrive_nc:   GIVES_TOKEN("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::arrive_tx:   GIVES_TOKEN("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::drop:        GIVES_TOKEN("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];", "r"(at)); break;
    case Op::drop_n:      GIVES_TOKEN("mbarrier.arrive_drop.shared::cta.b64 %0, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::drop_nc:     GIVES_TOKEN("mbarrier.arrive_drop.noComplete.shared::cta.b64 %0, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::drop_tx:     GIVES_TOKEN("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::expect_tx:   GIVES_NOTHING("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::complete_tx: GIVES_NOTHING("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::test_state:  GIVES_PREDICATE("mbarrier.test_wait.shared::cta.b64 done, [%1], %2;", "r"(at), "l"(token)); break;
    case Op::test_parity: GIVES_PREDICATE("mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::try_state:   GIVES_PREDICATE("mbarrier.try_wait.shared::cta.b64 done, [%1], %2;", "r"(at), "l"(token)); break;
    case Op::try_parity:  GIVES_PREDICATE("mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;", "r"(at), "r"(arg)); break;
    case Op::pending: {
        uint32_t count;
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
        result = count;
        break;
    }
    case Op::cpasync:       GIVES_NOTHING("cp.async.mbarrier.arrive.shared::cta.b64 [%0];", "r"(at)); break;
    case Op::cpasync_noinc: GIVES_NOTHING("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];", "r"(at)); break;
    case Op::r_arrive:      GIVES_NOTHING("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];", "r"(at)); break;
    case Op::r_arrive_n:    GIVES_NOTHING("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::r_arrive_tx:   GIVES_NOTHING("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::r_drop:        GIVES_NOTHING("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0];", "r"(at)); break;
    case Op::r_drop_n:      GIVES_NOTHING("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::r_drop_tx:     GIVES_NOTHING("mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::r_expect:      GIVES_NOTHING("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;", "r"(at), "r"(arg)); break;
    case Op::r_complete:    GIVES_NOTHING("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;", "r"(at), "r"(arg)); break;
    }
    return result;
}
#endif
