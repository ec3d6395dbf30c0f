// New questions for whole warps: a random operation, mask and spread of lanes over words, on words that the warp's sums keep
// within every limit (`legal`), or that are at and past limits (`edge`).
#pragma once
#include "warp_recording.h"
#include <random>

class WarpQuestions {
    static constexpr uint32_t MOST = (1u << 20) - 1; // of a count
    std::mt19937 random;
    bool edge;
    int most_words;

    uint32_t from(uint32_t least, uint32_t most) { return least + uint32_t(random() % (uint64_t(most) - least + 1)); }
    bool one_in(uint32_t times) { return from(1, times) == 1; }

    // Every count is stored negative.
    static uint64_t encoded(bool phase, uint32_t pending, int tx, uint32_t expected) {
        return uint64_t(phase) << 63 | uint64_t((0u - pending) & MOST) << 43 | uint64_t((0u - uint32_t(tx)) & 0x1fffff) << 21 |
               uint64_t((0u - expected) & MOST) << 1;
    }

    void choose_lanes(WarpQuestion &q) {
        switch (from(0, 3)) {
        case 0: q.mask = ~0u; break;
        case 1: q.mask = 1u << from(0, 31) | 1u << from(0, 31); break;
        default: q.mask = uint32_t(random());
        }
        if (!q.mask) q.mask = 1;
        q.words = most_words;
        const int used = one_in(3) ? int(from(1, uint32_t(most_words))) : int(from(1, 2)), style = int(from(0, 3));
        for (int lane = 0; lane < LANES; lane++) {
            q.word[lane] = uint8_t(style == 0 ? 0 : style == 1 ? lane % used : style == 2 ? lane * used / LANES : int(from(0, uint32_t(used - 1))));
        }
    }

    void choose_operands(WarpQuestion &q, bool bytes) {
        const Operand operand = operation(q.op).operand;
        const uint32_t same = from(1, 9), size = edge ? from(0, 3) : 0;
        for (int lane = 0; lane < LANES; lane++) {
            q.arg[lane] = one_in(2) ? same : from(0, bytes ? 40 : 9);
            if (operand == Operand::token) q.arg[lane] = uint32_t(random());
            if (operand == Operand::arg && size == 1 && bytes) q.arg[lane] = one_in(4) ? MOST : from(0, 60000);
            if (operand == Operand::arg && size == 2 && q.op != Op::init && one_in(16)) q.arg[lane] = MOST + from(0, 1);
            if (q.op == Op::init) q.arg[lane] = one_in(2) ? same : from(1, 1000);
        }
    }

    // A word for the lanes that name it, which are `lanes`, with operands that add up to `sum`.
    uint64_t choose_word(const WarpQuestion &q, uint32_t lanes, uint64_t sum, bool bytes, bool drops) {
        const bool arrives = operation(q.op).operand != Operand::token && q.op != Op::expect_tx && q.op != Op::complete_tx;
        const bool counted = operation(q.op).operand == Operand::arg && !bytes;
        const uint32_t need = uint32_t(std::min<uint64_t>(counted ? sum : lanes, MOST - 5000));
        const int total = int(std::min<uint64_t>(sum, MOST));
        uint32_t pending = one_in(2) ? std::max(need, 1u) : from(need + 1, need + 3000);
        uint32_t expected = one_in(3) ? std::max(need, 1u) : from(need + 1, need + 2000);
        int tx = one_in(2) ? 0 : int(from(0, 2000)) - 1000;
        if (drops && one_in(3)) expected = need;
        if (bytes && one_in(3)) tx = -total;
        if ((q.op == Op::complete_tx || q.op == Op::r_complete) && one_in(2) && total > 0) pending = 0, tx = total + (one_in(2) ? 0 : int(from(1, 100)));
        if (q.op == Op::cpasync && one_in(2)) pending = 0, tx = int(from(0, 80)) - 40;
        if (pending == 0 && tx == 0) pending = 1;
        uint64_t flags = 0;
        if (edge) {
            const uint32_t near = from(0, 3) + (one_in(2) ? 0 : std::min<uint32_t>(bytes ? uint32_t(total) : lanes, MOST));
            switch (from(0, 5)) {
            case 0: if (arrives) pending = need > 1 ? from(1, need - 1) : 1; break;
            case 1: if (arrives) pending = 0, tx = one_in(2) ? 0 : 5; break;
            case 2: if (drops) expected = need > 1 ? from(0, need - 1) : 0; break;
            case 3: tx = one_in(2) ? int(MOST) + 1 - int(near) : -int(MOST) + int(near); break;
            default: break;
            }
            flags = (one_in(10) ? 1ull << 42 : 0) | (one_in(10) ? 1 : 0);
        }
        return encoded(one_in(2), pending, std::clamp(tx, -int(MOST), int(MOST) + 1), expected) | flags;
    }

  public:
    WarpQuestions(size_t seed, bool edge, int words) : random(uint32_t(seed)), edge(edge), most_words(words) {}

    WarpQuestion next() {
        WarpQuestion q{};
        do {
            const Operation &known = OPERATION[from(0, uint32_t(std::size(OPERATION) - 1))];
            q.op = known.op, q.from = known.from;
        } while (q.op == Op::inval || q.op == Op::pending);
        const std::string name = operation(q.op).name;
        const bool bytes = name.find("_tx") != std::string::npos || q.op == Op::r_expect || q.op == Op::r_complete;
        choose_lanes(q);
        choose_operands(q, bytes);
        for (int word = 0; word < q.words; word++) {
            uint32_t lanes = 0;
            uint64_t sum = 0;
            for (int lane = 0; lane < LANES; lane++) {
                if (q.mask >> lane & 1 && q.word[lane] == word) lanes++, sum += q.arg[lane];
            }
            q.before[word] = choose_word(q, lanes, sum, bytes, name.find("drop") != std::string::npos);
        }
        return q;
    }
};
