"""txbar's C library (txbar_kit.h) for Python."""
import ctypes
import json
import os
import pathlib

U64, INT, TEXT, HANDLE = ctypes.c_uint64, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p
FUNCTIONS = {
    "check_new": (HANDLE, [TEXT]),
    "check_pin": (INT, [HANDLE, TEXT]),
    "check_set": (None, [HANDLE, INT, U64]),
    "check_clock": (INT, [HANDLE, INT]),
    "check_message": (TEXT, [HANDLE]),
    "check_coverage": (TEXT, [HANDLE]),
    "check_accepted": (U64, [HANDLE]),
    "check_idle": (INT, [HANDLE]),
    "check_free": (None, [HANDLE]),
    "traffic_random": (HANDLE, [TEXT, U64, U64, INT]),
    "traffic_read": (HANDLE, [TEXT, TEXT]),
    "traffic_message": (TEXT, [HANDLE]),
    "traffic_text": (TEXT, [HANDLE]),
    "traffic_next": (INT, [HANDLE, ctypes.POINTER(U64 * 9)]),
    "traffic_free": (None, [HANDLE]),
}


class Mismatch(AssertionError):
    """What the unit did and should not have done: the cycle since reset, what was expected, and the operations on the word."""


class Kit:
    """A unit as its manifest describes it, and the library: `library`, or what TXBAR_KIT names."""

    def __init__(self, manifest, library=None):
        library = library or os.environ.get("TXBAR_KIT")
        if library is None:
            raise FileNotFoundError("libtxbar_kit.so is needed: give `library`, or set TXBAR_KIT")
        self.manifest = json.loads(pathlib.Path(manifest).read_text())
        of = self.manifest["parameters"]
        # the manifest's JSON values as text: `true`, not `True`
        self.parameters = " ".join(f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in of.items())
        self.ports = of["ports"]
        self.op = {one["name"]: one["code"] for one in self.manifest["opcodes"]}
        self.posted = {one["code"] for one in self.manifest["opcodes"] if one["answer"] == "no answer"}
        self.status = {one["name"]: one["code"] for one in self.manifest["statuses"]}
        self.status_name = {code: name for name, code in self.status.items()}
        self.library = ctypes.CDLL(str(library))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self.library, f"txbar_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


class Check:
    """The scoreboard: what the pins of a unit show in each cycle is what the model says."""

    def __init__(self, kit):
        self.kit, self.handle = kit, kit.check_new(kit.parameters.encode())

    def pin(self, name):
        """The number of a pin; negative if it is not looked at."""
        return self.kit.check_pin(self.handle, name.encode())

    def clock(self, values, reset):
        """A clock edge with these values of pins, by their numbers."""
        for pin, value in values.items():
            self.kit.check_set(self.handle, pin, value)
        if not self.kit.check_clock(self.handle, reset):
            raise Mismatch(self.kit.check_message(self.handle).decode())

    def idle(self):
        return bool(self.kit.check_idle(self.handle))

    def accepted(self):
        return self.kit.check_accepted(self.handle)

    def coverage(self):
        return json.loads(self.kit.check_coverage(self.handle))

    def __del__(self):
        self.kit.check_free(self.handle)


class Traffic:
    """Requests as (port, pause, values of the request's pins by their names without `req_` and number), and the text of the file that has them."""

    FIELDS = ["op", "remote", "address", "data", "strobe", "tag", "order"]

    def __init__(self, kit, handle):
        try:
            message = kit.traffic_message(handle).decode()
            if message:
                raise ValueError(message)
            self.text = kit.traffic_text(handle).decode()
            self.requests = []
            values = (U64 * 9)()
            while kit.traffic_next(handle, ctypes.byref(values)):
                port, pause, *fields = values
                self.requests.append((port, pause, dict(zip(self.FIELDS, fields))))
        finally:
            kit.traffic_free(handle)

    @classmethod
    def random(cls, kit, seed, operations, stall=0):
        """What `txbar sim --ops OPERATIONS --seed SEED --stall STALL` asks."""
        return cls(kit, kit.traffic_random(kit.parameters.encode(), seed, operations, stall))

    @classmethod
    def load(cls, kit, path):
        """A file that `txbar sim --replay` plays."""
        return cls(kit, kit.traffic_read(kit.parameters.encode(), pathlib.Path(path).read_bytes()))

    def save(self, path):
        """Writes a file that `txbar sim --replay` plays."""
        pathlib.Path(path).write_text(self.text)
