// Questions of its own: every operation in turn, on words and with operands half of which are at a limit. Legal ones are
// what PTX allows; the others fault, each for a cause that is drawn among those that its operation can have.
#pragma once
#include "recording.h"
#include <random>

constexpr int64_t MOST = (1 << 20) - 1; // arrivals, and bytes of one operand
constexpr int64_t MOST_TX = 1 << 20, LEAST_TX = -MOST;

// Legal; faulting where nobody is told (from another CTA, or when copies are done); faulting where the thread dies of it.
enum class Ask { legal, faulting, trapping };

enum class Cause { operand, fault_bit, pending, expected, tx };

// What there is to know of an operation for asking.
struct Trait {
    bool init, waits, arrives, drops, expects, completes, begins; // `begins`: cp.async.mbarrier.arrive, tx-count + 1
    bool counted;                                                 // arrivals with a count
    bool asynchronous;                                            // if another CTA asks

    explicit Trait(const Operation &known) {
        const std::string name = known.name[1] == '_' ? known.name + 2 : known.name;
        auto begins_with = [&](const char *text) { return name.rfind(text, 0) == 0; };
        init = name == "init";
        waits = begins_with("test_") || begins_with("try_");
        drops = begins_with("drop");
        arrives = begins_with("arrive") || drops || name == "cpasync_noinc";
        expects = name == "expect_tx" || name == "expect" || name == "arrive_tx" || name == "drop_tx";
        completes = name == "complete_tx" || name == "complete";
        begins = name == "cpasync";
        counted = arrives && !expects && known.operand == Operand::arg;
        asynchronous = known.from == Where::cluster || name == "cpasync_noinc";
    }

    std::vector<Cause> causes() const {
        std::vector<Cause> all;
        if (init || counted || expects || completes) all.push_back(Cause::operand);
        if (waits || arrives || expects || completes || begins) all.push_back(Cause::fault_bit);
        if (arrives) all.push_back(Cause::pending);
        if (drops) all.push_back(Cause::expected);
        if (expects || completes || begins) all.push_back(Cause::tx);
        return all;
    }
};

static std::vector<Question> new_questions(size_t count, uint64_t seed, Ask ask) {
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
    std::vector<const Operation *> asked;
    for (const Operation &known : OPERATION) {
        const Trait trait(known);
        if (ask == Ask::legal || (!trait.causes().empty() && (ask == Ask::trapping || trait.asynchronous))) {
            if (ask != Ask::trapping || known.from == Where::cluster || !trait.asynchronous) asked.push_back(&known);
        }
    }
    std::vector<Question> questions;
    for (size_t i = 0; i < count; i++) {
        const Operation &known = *asked[i % asked.size()];
        const Trait trait(known);
        int64_t expected = between(1, MOST), pending = between(1, expected);
        // room for the operation
        int64_t tx = between(LEAST_TX + trait.completes, MOST - (trait.expects || trait.begins));
        int64_t arg = int64_t(dice() & 1);
        bool fault = false;
        if (trait.init) arg = between(1, MOST);
        else if (trait.counted) arg = between(1, pending);
        else if (trait.expects) arg = between(0, std::min(MOST, MOST - tx));
        else if (trait.completes) arg = between(0, std::min(MOST, tx - LEAST_TX));
        if (ask != Ask::legal) {
            const std::vector<Cause> causes = trait.causes();
            switch (causes[dice() % causes.size()]) {
            case Cause::operand: arg = between(MOST + 1, UINT32_MAX); break;
            case Cause::fault_bit: fault = true; break;
            case Cause::pending:
                pending = trait.counted ? between(0, MOST - 1) : 0;
                if (trait.counted) arg = between(pending + 1, MOST);
                break;
            case Cause::expected:
                pending = between(1, MOST);
                if (trait.counted) arg = between(1, pending);
                expected = trait.counted ? between(0, arg - 1) : 0;
                break;
            case Cause::tx:
                tx = trait.begins ? MOST_TX : trait.expects ? between(2, MOST_TX) : between(LEAST_TX, -1);
                if (trait.expects) arg = between(MOST_TX - tx + 1, MOST);
                if (trait.completes) arg = between(tx - LEAST_TX + 1, MOST);
                break;
            }
        }
        const uint64_t word = (dice() & 1) << 63 | (uint64_t(-pending) & 0xfffff) << 43 | uint64_t(fault) << 42
            | (uint64_t(-tx) & 0x1fffff) << 21 | (uint64_t(-expected) & 0xfffff) << 1;
        questions.push_back({known.op, known.from, known.operand == Operand::arg ? uint32_t(arg) : 0, word,
                             known.operand == Operand::token ? dice() : 0});
    }
    return questions;
}
