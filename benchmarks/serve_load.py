"""Many clients at once against `recollect serve`: throughput, times, errors, and how long the loop was ever held.

    python benchmarks/serve_load.py --memories 100000 --clients 64 --seconds 60 --workers 1 2

The service runs in a process of its own, the clients in this one, on loopback. With one worker a task inside the
service measures by how much its own short sleeps are late.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from recollect import Draft, Recollect

SERVER = """
import asyncio, json, sys, time
from pathlib import Path
from recollect.configure import configure
from recollect.doors.http.serve import ServePlan, serve
store, embedder, workers = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
arguments = {"embedder": embedder, "service.port": 0, "service.workers": workers, "service.requests_per_second": 1e6,
             "service.burst": 1_000_000}
late = []
async def watch():
    await asyncio.sleep(float(sys.argv[4]))
    while True:
        began = time.monotonic()
        await asyncio.sleep(0.005)
        late.append(time.monotonic() - began - 0.005)
async def main():
    watching = asyncio.create_task(watch())
    settings = configure({**arguments, "store.path": store})
    plan = ServePlan(store, None, arguments, {})
    await serve(plan, settings, listening=lambda url: print(url, flush=True))
    watching.cancel()
asyncio.run(main())
late.sort()
print(json.dumps({"most": late[-1] if late else 0, "p999": late[int(len(late) * .999)] if late else 0,
                  "over_50ms": sum(each > .05 for each in late), "looked": len(late)}), flush=True)
"""
FIRST_SECONDS = 2.0  # asked but not measured
NAMES = "Ana Ben Cem Dora Emil Fay Gus Hana Ivo Jun".split()
THINGS = "harbour bridge crane budget garden library market tunnel station museum".split()
DEEDS = "planned paid for painted closed opened measured sold repaired insured photographed".split()


async def fill(folder: Path, count: int, embedder: str) -> None:
    """Memories that differ, in one space."""
    random = Random(7)
    async with Recollect.open(folder, embedder=embedder, environment={}) as engine:
        for start in range(0, count, 1_000):
            drafts = [
                Draft(
                    body=f"{random.choice(NAMES)} {random.choice(DEEDS)} the {random.choice(THINGS)} number {number}."
                )
                for number in range(start, min(start + 1_000, count))
            ]
            await engine.remember_many(drafts)


def questions() -> list[bytes]:
    """Requests, most of them questions with a verdict."""
    random = Random(11)
    made = []
    for _ in range(200):
        name, thing = random.choice(NAMES), random.choice(THINGS)
        body = json.dumps({"text": f"What did {name} do with the {thing} number {random.randrange(1_000)}?"}).encode()
        path = random.choice(["/v1/retrieve", "/v1/retrieve", "/v1/search"])
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        )
        made.append(f"{head}\r\n\r\n".encode() + body)
    return made


async def client(host: str, port: int, until: float, seed: int, took: list[float], seen: Counter[int]) -> None:
    """One client on one connection, a request after the other."""
    random, asked = Random(seed), questions()
    reader, writer = await asyncio.open_connection(host, port, limit=2**24)
    while time.monotonic() < until:
        began = time.monotonic()
        writer.write(random.choice(asked))
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        await reader.readexactly(length)
        took.append(time.monotonic() - began)
        seen[int(head.split(" ", 2)[1])] += 1
    writer.close()


async def load(url: str, *, clients: int, seconds: float) -> dict[str, object]:
    """What the clients saw."""
    host, port = url.removeprefix("http://").split(":")
    took: list[float] = []
    seen: Counter[int] = Counter()
    until = time.monotonic() + seconds
    await asyncio.gather(*(client(host, int(port), until, seed, took, seen) for seed in range(clients)))
    shares = statistics.quantiles(took, n=100)
    return {
        "requests": len(took),
        "per_second": round(len(took) / seconds, 1),
        "statuses": dict(seen),
        "p50_ms": round(shares[49] * 1000, 1),
        "p99_ms": round(shares[98] * 1000, 1),
        "p99_over_p50": round(shares[98] / shares[49], 2),
    }


def measure(folder: Path, options: argparse.Namespace, workers: int) -> None:
    watched_from = str(options.warm + FIRST_SECONDS)
    command = [sys.executable, "-c", SERVER, str(folder), options.embedder, str(workers), watched_from]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    time.sleep(options.warm)
    asyncio.run(load(url, clients=workers * 2, seconds=FIRST_SECONDS))
    told = asyncio.run(load(url, clients=options.clients, seconds=options.seconds))
    server.send_signal(signal.SIGTERM)
    rest = server.communicate()[0].strip()
    loop = json.loads(rest) if workers == 1 and rest else {}
    print(json.dumps({"workers": workers, "clients": options.clients, **told, "loop_seconds_late": loop}, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--warm", type=float, default=5)
    parser.add_argument("--store", type=Path, default=None, help="use this folder, filled before")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.store or Path(temporary)
        if not (folder / "spaces").exists():
            began = time.monotonic()
            asyncio.run(fill(folder, options.memories, options.embedder))
            print(f"{options.memories} memories stored in {time.monotonic() - began:.0f} s", file=sys.stderr)
        for workers in options.workers:
            measure(folder, options, workers)


if __name__ == "__main__":
    main()
