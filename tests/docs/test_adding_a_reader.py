"""A driver that follows `docs/adding-a-reader.md` to the letter, in a copy of the houses, is a reader."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOUSES = ("companion", "firmware_bridge", "hardware_sim")
DRIVER, CASE = re.findall(
    r"^```python\n(.*?)^```$",
    (ROOT / "docs" / "adding-a-reader.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)
LAST = "    raise DriverName"

READ = """
import queue, sys, time
from companion.doctor.tap import KINDS
from companion.drivers.registry import make

readings = queue.Queue()
driver = make("doorbell:" + sys.argv[1])
driver.open(readings.put, time.monotonic_ns)
print(*(type(readings.get(timeout=20)).__name__ for _ in range(3)), "doorbell:" in KINDS)
driver.close()
"""


def test_the_driver_that_is_walked_through_is_the_one_that_is_tested():
    assert (ROOT / "tests" / "outside_project" / "doorbell.py").read_text() == DRIVER


def test_it_is_a_reader_by_its_name(tmp_path):
    for house in HOUSES:
        shutil.copytree(
            ROOT / house, tmp_path / house, ignore=shutil.ignore_patterns("__pycache__")
        )
    drivers = tmp_path / "companion" / "drivers"
    (drivers / "doorbell.py").write_text(DRIVER, encoding="utf-8")
    registry = drivers / "registry.py"
    text = registry.read_text(encoding="utf-8")
    assert text.count("KINDS = (") == text.count(LAST) == 1
    text = text.replace("KINDS = (", 'KINDS = ("doorbell:", ').replace(LAST, CASE + LAST)
    registry.write_text(text, encoding="utf-8")
    rings = tmp_path / "rings"
    rings.write_text("04A3C6CAE26180\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", READ, rings],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"},
    )
    assert (done.stdout, done.stderr) == ("DeviceBack TagOn TagOff True\n", "")
