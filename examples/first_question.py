"""Remember a few things, ask one question of two parts, branch on the verdict."""

import tempfile

from recollect import BlockingRecollect, VerdictKind

with tempfile.TemporaryDirectory() as folder, BlockingRecollect.open(folder) as memory:
    memory.remember("The boiler was serviced on 3 March by Ruiz & Sons", title="Boiler", kind="fact")
    memory.remember("Spare keys hang behind the garden door", title="Keys", kind="fact")

    answer = memory.retrieve("When was the boiler serviced and where are the spare keys?")

    # An agent branches on the verdict instead of guessing from a list.
    if answer.verdict is VerdictKind.ANSWERABLE:
        for piece in answer.evidence:
            print(f"part {piece.parts}: {piece.memory.body}  (relevance {piece.relevance:.2f})")
    else:
        print("not in memory:", [gap.text for gap in answer.gaps])
