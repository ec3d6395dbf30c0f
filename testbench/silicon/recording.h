// Recordings as files: the columns op,arg,word_before,token,word_after,result, as testbench/vectors/README.md says.
// Only the first four are read; the last two are what the GPU answers.
#pragma once
#include "operations.cuh"
#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Question {
    Op op;
    Where from;
    uint32_t arg;
    uint64_t word, token;
};

struct Answer {
    uint64_t word, result;
};

enum class Outcome : int { none, done, trap };

static const char HEADER[] = "op,arg,word_before,token,word_after,result";

static const Operation &operation(Op op) { return OPERATION[int(op)]; }

[[noreturn]] static void refuse(const std::string &what) {
    std::cerr << "error: " << what << "\n";
    std::exit(2);
}

static Question question(const std::string &place, const std::string &line) {
    std::vector<std::string> field;
    std::stringstream rest(line);
    for (std::string text; std::getline(rest, text, ',');) field.push_back(text);
    field.resize(6);
    auto number = [&](int column, int base, uint64_t most) {
        char *end = nullptr;
        const char *text = field[column].c_str();
        const uint64_t value = std::strtoull(text, &end, base);
        if (!*text || *end || value > most) {
            refuse(place + ": `" + field[column] + "` is no number for column " + std::to_string(column + 1));
        }
        return value;
    };
    for (const Operation &known : OPERATION) {
        if (field[0] != known.name) continue;
        Question q{known.op, known.from, 0, number(2, 16, UINT64_MAX), 0};
        if (known.operand == Operand::arg) q.arg = uint32_t(number(1, 10, UINT32_MAX));
        if (known.operand == Operand::token) q.token = number(3, 16, UINT64_MAX);
        return q;
    }
    refuse(place + ": unknown operation `" + field[0] + "`");
}

static std::vector<Question> read_questions(const std::string &name) {
    std::ifstream file(name);
    if (!file) refuse(name + ": " + std::strerror(errno));
    std::vector<Question> questions;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const std::string place = name + ":" + std::to_string(++number);
        if (number == 1) {
            if (line != HEADER) refuse(place + ": the first line must be `" + HEADER + "`");
        } else {
            questions.push_back(question(place, line));
        }
    }
    if (questions.empty()) refuse(name + ": it holds no records");
    return questions;
}

static std::string row(const Question &q, const Answer &a, Outcome outcome) {
    const Operation &known = operation(q.op);
    char text[160];
    std::string line = std::string(known.name) + ",";
    if (known.operand == Operand::arg) line += std::to_string(q.arg);
    std::snprintf(text, sizeof text, ",%016" PRIx64 ",", q.word);
    line += text;
    if (known.operand == Operand::token) {
        std::snprintf(text, sizeof text, "%016" PRIx64, q.token);
        line += text;
    }
    if (outcome == Outcome::trap) return line + ",trap,";
    std::snprintf(text, sizeof text, ",%016" PRIx64 ",", a.word);
    line += text;
    switch (known.result) {
    case Result::none: return line;
    case Result::token: std::snprintf(text, sizeof text, "%08" PRIx32, uint32_t(a.result >> 32)); break;
    case Result::predicate: std::snprintf(text, sizeof text, "%d", int(a.result)); break;
    case Result::count: std::snprintf(text, sizeof text, "%" PRIx32, uint32_t(a.result)); break;
    }
    return line + text;
}

// Writes to a file beside it first, so that the file is whole or not there.
static void write_recording(const std::string &name, const std::string &text) {
    const std::string draft = name + ".draft";
    std::ofstream file(draft, std::ios::binary);
    file << text;
    file.close();
    if (!file || std::rename(draft.c_str(), name.c_str()) != 0) {
        std::remove(draft.c_str());
        refuse(name + ": it cannot be written");
    }
}
