/* The second hart's first instructions. It has a stack of its own, and no interrupts. */
.section .hart1, "ax"
.global hart1_start
hart1_start:
    lui sp, %hi(hart1_stack_end)
    addi sp, sp, %lo(hart1_stack_end)
    tail hart1_main
