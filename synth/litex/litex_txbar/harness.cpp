// The clock and the console of the simulated system. Prints what the UART sends; exits with 0 when the system says that it has finished, with 1 after so many
// cycles without that.
#include <cstdio>
#include <cstdlib>

#include "Vsim.h"
#include "verilated.h"

int main(int, char **arguments) {
    const unsigned long long limit = std::strtoull(arguments[1], nullptr, 10);
    // registers without an initial value begin as anything
    Verilated::defaultContextp()->randReset(2);
    Verilated::defaultContextp()->randSeed(1);
    Vsim *sim = new Vsim;
    sim->serial_source_ready = 1;
    unsigned long long cycles = 0;
    bool finished = false;
    while (cycles < limit && !finished) {
        sim->sys_clk = 0;
        sim->eval();
        if (sim->serial_source_valid) {
            std::putchar(sim->serial_source_data);
            if (sim->serial_source_data == '\n') std::fflush(stdout);
        }
        sim->sys_clk = 1;
        sim->eval();
        cycles++;
        finished = sim->finished;
    }
    std::fprintf(stderr, "%llu\n", cycles);
    return finished ? 0 : 1;
}
