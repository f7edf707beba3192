"""Contactless readers over PC/SC: `driver` runs the threads, the others serve it.

`library` is pyscard's low level with types, `names` reads readers' names and gives seats,
`field` decides what follows from a look at one reader, `results` has the sentences.
"""

from companion.drivers.pcsc.driver import PcscDriver

__all__ = ["PcscDriver"]
