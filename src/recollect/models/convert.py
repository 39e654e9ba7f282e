"""MiniLM's published weights (safetensors) turned into one ONNX graph: token ids in, a unit vector out.

The graph takes one text at a time, so it has neither padding nor mask: with dynamic int8 a vector would
otherwise depend on what stands beside it in the batch. Mean pooling and normalisation are part of it.
Where the weights come from is `weights.py`'s business.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from recollect.models.quiet import untouched_root_logger

if TYPE_CHECKING:
    import numpy as np

    Tensor = np.ndarray[Any, Any]
    Tensors = dict[str, Tensor]

RECIPE = "1"  # goes into the cache's manifest: raise it when the graph changes, and caches are rebuilt
LAYERS, HIDDEN, HEADS = 6, 384, 12
HEAD_SIZE = HIDDEN // HEADS
EPSILON = 1e-12
OPSET, IR_VERSION = 20, 9  # the first opset with Gelu, and the oldest file format that goes with it
INPUT, OUTPUT = "input_ids", "embedding"


class Precision(StrEnum):
    """INT8 is a quarter of the size and three times as fast; FP32 where fidelity matters."""

    INT8 = "int8"
    FP32 = "fp32"


def convert(safetensors: bytes, *, precision: Precision) -> bytes:
    """The ONNX file for these weights."""
    model = build_graph(read_tensors(safetensors))
    return quantise(model) if precision is Precision.INT8 else model.SerializeToString()


def read_tensors(data: bytes) -> Tensors:
    """The float32 tensors of a safetensors file: header length, JSON header, raw values."""
    import numpy as np

    start = 8 + int.from_bytes(data[:8], "little")
    tensors: Tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if entry.get("dtype") != "F32":  # the metadata entry and the position ids
            continue
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data, dtype="<f4", count=(end - begin) // 4, offset=start + begin)
        tensors[name] = values.reshape(entry["shape"])
    return tensors


def build_graph(tensors: Tensors) -> Any:
    """The whole network as an ONNX model."""
    from onnx import TensorProto, checker, helper

    graph = _Graph(tensors)
    hidden = _embed_tokens(graph)
    for layer in range(LAYERS):
        hidden = _attend(graph, hidden, prefix=f"encoder.layer.{layer}.attention.")
        hidden = _feed_forward(graph, hidden, prefix=f"encoder.layer.{layer}.")
    pooled = graph.add("ReduceMean", hidden, graph.integers([1]), keepdims=0)
    graph.add("LpNormalization", pooled, result=OUTPUT, axis=-1, p=2)

    ids = helper.make_tensor_value_info(INPUT, TensorProto.INT64, ["texts", "tokens"])
    embedding = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["texts", HIDDEN])
    network = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [ids], [embedding], graph.constants)
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(network, opset_imports=[opset], ir_version=IR_VERSION)
    checker.check_model(model)
    return model


def quantise(model: Any) -> bytes:
    """The model with int8 weights, one scale per output channel; activations are scaled as they come."""
    with TemporaryDirectory(prefix="recollect-") as folder, untouched_root_logger("onnxruntime"):
        from onnxruntime.quantization import QuantType, quantize_dynamic

        target = Path(folder, "int8.onnx")
        source = Path(folder, "fp32.onnx")
        source.write_bytes(model.SerializeToString())
        quantize_dynamic(source, target, per_channel=True, weight_type=QuantType.QInt8)
        return target.read_bytes()


class _Graph:
    """Nodes and constants as they are added; each node is named after its kind and its place."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, *inputs: str, result: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = result or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, values: Tensor) -> str:
        import numpy as np
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def integers(self, values: list[int]) -> str:
        import numpy as np

        return self.constant(np.array(values, np.int64))

    def linear(self, hidden: str, name: str) -> str:
        # PyTorch keeps weights as (out, in); MatMul wants (in, out).
        product = self.add("MatMul", hidden, self.constant(self.tensors[f"{name}.weight"].T))
        return self.add("Add", product, self.constant(self.tensors[f"{name}.bias"]))

    def layer_norm(self, hidden: str, name: str) -> str:
        scale = self.constant(self.tensors[f"{name}.weight"])
        shift = self.constant(self.tensors[f"{name}.bias"])
        return self.add("LayerNormalization", hidden, scale, shift, axis=-1, epsilon=EPSILON)


def _embed_tokens(graph: _Graph) -> str:
    words = graph.constant(graph.tensors["embeddings.word_embeddings.weight"])
    # There is only ever one segment, so its embedding is added to every position beforehand.
    segment = graph.tensors["embeddings.token_type_embeddings.weight"][0]
    positions = graph.constant(graph.tensors["embeddings.position_embeddings.weight"] + segment)
    length = graph.add("Shape", INPUT, start=1, end=2)
    used = graph.add("Slice", positions, graph.integers([0]), length, graph.integers([0]))
    return graph.layer_norm(graph.add("Add", graph.add("Gather", words, INPUT), used), "embeddings.LayerNorm")


def _attend(graph: _Graph, hidden: str, *, prefix: str) -> str:
    import numpy as np

    def heads(part: str, order: list[int]) -> str:
        projected = graph.linear(hidden, f"{prefix}self.{part}")
        split = graph.add("Reshape", projected, graph.integers([0, 0, HEADS, HEAD_SIZE]))
        return graph.add("Transpose", split, perm=order)

    query, key = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1])
    scale = graph.constant(np.array(HEAD_SIZE**-0.5, np.float32))
    scores = graph.add("Mul", graph.add("MatMul", query, key), scale)
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), heads("value", [0, 2, 1, 3]))
    joined = graph.add("Transpose", mixed, perm=[0, 2, 1, 3])
    flat = graph.add("Reshape", joined, graph.integers([0, 0, HIDDEN]))
    added = graph.add("Add", graph.linear(flat, f"{prefix}output.dense"), hidden)
    return graph.layer_norm(added, f"{prefix}output.LayerNorm")


def _feed_forward(graph: _Graph, hidden: str, *, prefix: str) -> str:
    wide = graph.add("Gelu", graph.linear(hidden, f"{prefix}intermediate.dense"))
    added = graph.add("Add", graph.linear(wide, f"{prefix}output.dense"), hidden)
    return graph.layer_norm(added, f"{prefix}output.LayerNorm")
