/* How the driver reaches the simulated bus. */
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
uint32_t bus_read(uintptr_t address);
void bus_write(uintptr_t address, uint32_t value);
#ifdef __cplusplus
}
#endif
#define TXBAR_READ bus_read
#define TXBAR_WRITE bus_write
