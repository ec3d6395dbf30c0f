// Questions of its own: every operation in turn, on words and with operands that PTX allows, half of them at a limit.
#pragma once
#include "recording.h"
#include <random>

constexpr uint64_t MOST = (1 << 20) - 1; // arrivals, and bytes of one operand

static std::vector<Question> new_questions(size_t count, uint64_t seed) {
    std::mt19937_64 dice(seed);
    // between two numbers; half of the time as close to one of them as it goes, or nearly
    auto between = [&](int64_t least, int64_t most) {
        const int64_t range = most - least, near = std::min<int64_t>(range, int64_t(dice() % 3));
        switch (dice() % 4) {
        case 0: return least + near;
        case 1: return most - near;
        default: return least + int64_t(dice() % uint64_t(range + 1));
        }
    };
    std::vector<Question> questions;
    const size_t kinds = sizeof OPERATION / sizeof *OPERATION;
    for (size_t i = 0; i < count; i++) {
        const Operation &known = OPERATION[i % kinds];
        const std::string name = known.name[1] == '_' ? known.name + 2 : known.name;
        const bool arrives = name.rfind("arrive", 0) == 0 || name.rfind("drop", 0) == 0 || name == "cpasync_noinc";
        const bool expects = name == "expect_tx" || name == "expect" || name == "arrive_tx" || name == "drop_tx";
        const bool completes = name == "complete_tx" || name == "complete";
        const int64_t expected = between(1, MOST), pending = between(1, expected);
        // room for the operation
        const int64_t least = -int64_t(MOST) + completes, most = int64_t(MOST) - (expects || name == "cpasync");
        const int64_t tx = between(least, most);
        uint64_t arg = dice() & 1;
        if (name == "init") arg = uint64_t(between(1, MOST));
        else if (arrives && !expects) arg = uint64_t(between(1, pending));
        else if (expects) arg = uint64_t(between(0, std::min<int64_t>(MOST, int64_t(MOST) - tx)));
        else if (completes) arg = uint64_t(between(0, std::min<int64_t>(MOST, tx + int64_t(MOST))));
        const uint64_t word = (dice() & 1) << 63 | (uint64_t(-pending) & 0xfffff) << 43 | (uint64_t(-tx) & 0x1fffff) << 21
            | (uint64_t(-expected) & 0xfffff) << 1;
        questions.push_back({known.op, known.from, known.operand == Operand::arg ? uint32_t(arg) : 0, word,
                             known.operand == Operand::token ? dice() : 0});
    }
    return questions;
}
