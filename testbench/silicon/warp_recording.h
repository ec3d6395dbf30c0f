// Recordings of whole warps as files: the columns
// op,mask,word_of_lane,operand_of_lane,words_before,words_after,results, as testbench/vectors/README.md says.
// Only the first five are read; the last two are what the GPU answers.
#pragma once
#include "recording.h"

constexpr int LANES = 32;

struct WarpQuestion {
    Op op;
    Where from;
    uint32_t mask;         // the lanes that are active
    int words;             // how many barrier words there are
    uint8_t word[LANES];   // which of them a lane names
    uint32_t arg[LANES];   // count, bytes or parity; the upper half of a token
    uint64_t before[LANES];
};

struct WarpAnswer {
    uint64_t after[LANES];
    uint64_t result[LANES];
};

static const char WARP_HEADER[] = "op,mask,word_of_lane,operand_of_lane,words_before,words_after,results";
static const char DIGITS[] = "0123456789abcdefghijklmnopqrstuv";

// Numbers in hex with a space between each two.
static std::vector<uint64_t> numbers(const std::string &place, const std::string &text, uint64_t most) {
    std::vector<uint64_t> found;
    std::stringstream rest(text);
    for (std::string number; std::getline(rest, number, ' ');) {
        char *end = nullptr;
        found.push_back(std::strtoull(number.c_str(), &end, 16));
        if (number.empty() || *end || found.back() > most) refuse(place + ": `" + number + "` is no number here");
    }
    return found;
}

static WarpQuestion warp_question(const std::string &place, const std::string &line) {
    std::vector<std::string> field;
    std::stringstream rest(line);
    for (std::string text; std::getline(rest, text, ',');) field.push_back(text);
    field.resize(7);
    WarpQuestion q{};
    const Operation *known = std::find_if(std::begin(OPERATION), std::end(OPERATION), [&](const Operation &o) { return field[0] == o.name; });
    if (known == std::end(OPERATION)) refuse(place + ": unknown operation `" + field[0] + "`");
    q.op = known->op, q.from = known->from;
    const auto mask = numbers(place, field[1], UINT32_MAX), arg = numbers(place, field[3], UINT32_MAX);
    const auto before = numbers(place, field[4], UINT64_MAX);
    if (mask.size() != 1 || field[2].size() != LANES || arg.size() != LANES || before.empty() || before.size() > LANES) {
        refuse(place + ": a mask, 32 words, 32 operands and up to 32 barrier words are needed");
    }
    q.mask = uint32_t(mask[0]), q.words = int(before.size());
    std::copy(before.begin(), before.end(), q.before);
    for (int lane = 0; lane < LANES; lane++) {
        const char *digit = std::strchr(DIGITS, field[2][lane]);
        if (!digit || digit - DIGITS >= q.words) refuse(place + ": lane " + std::to_string(lane) + " names no word");
        q.word[lane] = uint8_t(digit - DIGITS), q.arg[lane] = uint32_t(arg[lane]);
    }
    return q;
}

static std::vector<WarpQuestion> read_warp_questions(const std::string &name) {
    std::ifstream file(name);
    if (!file) refuse(name + ": " + std::strerror(errno));
    std::vector<WarpQuestion> questions;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const std::string place = name + ":" + std::to_string(++number);
        if (number > 1) questions.push_back(warp_question(place, line));
        else if (line != WARP_HEADER) refuse(place + ": the first line must be `" + WARP_HEADER + "`");
    }
    if (questions.empty()) refuse(name + ": it holds no records");
    return questions;
}

static std::string hex(uint64_t number, int digits) {
    char text[20];
    std::snprintf(text, sizeof text, "%0*" PRIx64, digits, number);
    return text;
}

// `count` numbers, as `number(i)` gives them, with a space between each two.
template <typename F> static std::string list(int count, F number) {
    std::string text;
    for (int i = 0; i < count; i++) text += (i ? " " : "") + number(i);
    return text;
}

static std::string warp_row(const WarpQuestion &q, const WarpAnswer &a, Outcome outcome) {
    const Operation &known = operation(q.op);
    std::string line = std::string(known.name) + "," + hex(q.mask, 8) + ",";
    for (int lane = 0; lane < LANES; lane++) line += DIGITS[q.word[lane]];
    line += "," + list(LANES, [&](int lane) { return hex(q.arg[lane], 1); });
    line += "," + list(q.words, [&](int word) { return hex(q.before[word], 16); });
    if (outcome == Outcome::trap) return line + ",trap,";
    line += "," + list(q.words, [&](int word) { return hex(a.after[word], 16); }) + ",";
    if (known.result == Result::none) return line;
    return line + list(LANES, [&](int lane) {
        const uint64_t result = known.result == Result::token ? a.result[lane] >> 32 : a.result[lane];
        return hex(q.mask >> lane & 1 ? result : 0, 1);
    });
}
