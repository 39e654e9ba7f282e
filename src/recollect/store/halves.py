"""Vectors as stored: half precision, little-endian. The rounding (under 0.001) is far below an embedder's own noise."""

from __future__ import annotations


def to_halves(data: bytes) -> bytes:
    """From float32 to float16."""
    import numpy as np

    return np.frombuffer(data, dtype="<f4").astype("<f2").tobytes()


def from_halves(data: bytes) -> bytes:
    """From float16 back to float32."""
    import numpy as np

    return np.frombuffer(data, dtype="<f2").astype("<f4").tobytes()
