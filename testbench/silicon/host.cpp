// The capture program without its GPU, for the tests: everything but the kernel is plain C++.
//
//   host copy RECORDING.csv      reads the questions and their answers, and writes the recording to standard output
//   host new N SEED              writes new questions, all of them as if they had trapped
#include "new_questions.h"

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
    } else if (argc == 4 && std::string(argv[1]) == "new") {
        for (const Question &q : new_questions(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10))) {
            text += row(q, {}, Outcome::trap) + "\n";
        }
    } else {
        refuse("usage: host copy RECORDING.csv, or host new N SEED");
    }
    std::cout << text;
}
