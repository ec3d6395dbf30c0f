"""txbar in LiteX: `soc.add_txbar(ports=2)` puts a unit behind the bus of any SoC of LiteX."""

from litex.soc.integration.soc import LiteXSoC

from .tools import TxbarError
from .unit import TxBar, add_txbar, driver_flags

__all__ = ["TxBar", "TxbarError", "add_txbar", "driver_flags"]

LiteXSoC.add_txbar = add_txbar
