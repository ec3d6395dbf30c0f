// The capture program without its GPU, for the tests: everything but the kernel is plain C++.
//
//   host copy RECORDING.csv      reads the questions and their answers, and writes the recording to standard output
//   host new N SEED              writes new questions, all of them as if they had trapped; or faults, or traps
//   host warp-copy RECORDING.csv and host warp-new N SEED legal|edge WORDS: the same of whole warps
#include "new_questions.h"
#include "warp_questions.h"

int main(int argc, char **argv) {
    std::string text = std::string(HEADER) + "\n";
    if (argc == 3 && std::string(argv[1]) == "copy") {
        const std::vector<Question> questions = read_questions(argv[2]);
        std::ifstream file(argv[2]);
        std::string line;
        std::getline(file, line);
        for (const Question &q : questions) {
            std::getline(file, line);
            std::vector<std::string> field;
            std::stringstream rest(line);
            for (std::string column; std::getline(rest, column, ',');) field.push_back(column);
            field.resize(6);
            const Outcome outcome = field[4] == "trap" ? Outcome::trap : Outcome::done;
            Answer a{std::strtoull(field[4].c_str(), nullptr, 16), std::strtoull(field[5].c_str(), nullptr, 16)};
            if (operation(q.op).result == Result::token) a.result <<= 32;
            text += row(q, a, outcome) + "\n";
        }
    } else if (argc == 4) {
        const std::string what = argv[1];
        const Ask ask = what == "traps" ? Ask::trapping : what == "faults" ? Ask::faulting : Ask::legal;
        const uint64_t count = std::strtoull(argv[2], nullptr, 10), seed = std::strtoull(argv[3], nullptr, 10);
        for (const Question &q : new_questions(count, seed, ask)) {
            text += row(q, {}, Outcome::trap) + "\n";
        }
    } else if (argc == 3 && std::string(argv[1]) == "warp-copy") {
        text = std::string(WARP_HEADER) + "\n";
        std::ifstream file(argv[2]);
        std::string line;
        std::getline(file, line);
        for (const WarpQuestion &q : read_warp_questions(argv[2])) {
            std::getline(file, line);
            std::vector<std::string> field;
            std::stringstream rest(line);
            for (std::string column; std::getline(rest, column, ',');) field.push_back(column);
            field.resize(7);
            WarpAnswer a{};
            const Outcome outcome = field[5] == "trap" ? Outcome::trap : Outcome::done;
            if (outcome == Outcome::done) {
                const auto after = numbers("words_after", field[5], UINT64_MAX), results = numbers("results", field[6], UINT32_MAX);
                std::copy(after.begin(), after.end(), a.after);
                std::copy(results.begin(), results.end(), a.result);
                if (operation(q.op).result == Result::token) {
                    for (uint64_t &result : a.result) result <<= 32;
                }
            }
            text += warp_row(q, a, outcome) + "\n";
        }
    } else if (argc == 6 && std::string(argv[1]) == "warp-new") {
        WarpQuestions ask(std::strtoull(argv[3], nullptr, 10), std::string(argv[4]) == "edge", std::atoi(argv[5]));
        text = std::string(WARP_HEADER) + "\n";
        for (int i = 0; i < std::atoi(argv[2]); i++) text += warp_row(ask.next(), {}, Outcome::trap) + "\n";
    } else {
        refuse("usage: host copy RECORDING.csv, host new|faults|traps N SEED, host warp-copy RECORDING.csv, or host warp-new N SEED KIND WORDS");
    }
    std::cout << text;
}
