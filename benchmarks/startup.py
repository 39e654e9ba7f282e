"""How long `import recollect` and `recollect --help` take, in fresh processes, beside a Python that does nothing.

python benchmarks/startup.py [--runs 15]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = {
    "python that does nothing": [sys.executable, "-c", "pass"],
    "import recollect": [sys.executable, "-c", "import recollect"],
    "recollect --help": [str(Path(sys.executable).parent / "recollect"), "--help"],
}
LIMITS = {"import recollect": 0.3, "recollect --help": 0.5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):  # in turn, so that a busy moment hits all alike
        for name, command in COMMANDS.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[name].append(time.perf_counter() - began)
    for name, seconds in times.items():
        limit = f"(limit {LIMITS[name]} s)" if name in LIMITS else ""
        print(f"{name:26} median {statistics.median(seconds):.3f} s  fastest {min(seconds):.3f} s  {limit}")


if __name__ == "__main__":
    main()
