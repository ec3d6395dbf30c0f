"""slang, which its wheel has as a library only: takes the options of `slang` and ends with 1 if it finds an error."""
import sys

from pyslang import driver

slang = driver.Driver()
slang.addStandardArgs()
command = " ".join(["slang", *(f'"{argument}"' for argument in sys.argv[1:])])
ready = slang.parseCommandLine(command) and slang.processOptions() and slang.parseAllSources()
sys.exit(not (ready and slang.runFullCompilation(False)))
