"""The names attributes have in spans: those of OpenTelemetry's GenAI conventions where there is one, else our own.

Written down here, since the conventions are in development and their constants are not for keeps. The package
opentelemetry-semantic-conventions 0.66b2 has the first group; the second is in the repository the conventions for
generative AI have moved to (open-telemetry/semantic-conventions-genai, memory spans of 2026). A test compares.
"""

from __future__ import annotations

ERROR_TYPE = "error.type"
OPERATION_NAME = "gen_ai.operation.name"
CONVERSATION = "gen_ai.conversation.id"
DATA_SOURCE = "gen_ai.data_source.id"
RETRIEVAL_QUERY = "gen_ai.retrieval.query.text"
RETRIEVAL_DOCUMENTS = "gen_ai.retrieval.documents"

MEMORY_STORE = "gen_ai.memory.store.id"
MEMORY_RECORD = "gen_ai.memory.record.id"
MEMORY_COUNT = "gen_ai.memory.record.count"
MEMORY_QUERY = "gen_ai.memory.query.text"
MEMORY_RECORDS = "gen_ai.memory.records"

OWN = "recollect."

RETRIEVAL = "retrieval"
SEARCH, CREATE, UPDATE, UPSERT = "search_memory", "create_memory", "update_memory", "upsert_memory"
DELETE, DELETE_STORE = "delete_memory", "delete_memory_store"

# What each verb is in the words of the conventions; the others have no word there.
OPERATIONS = {
    "retrieve": RETRIEVAL,
    "retrieve_context": RETRIEVAL,
    "search": RETRIEVAL,
    "recall": SEARCH,
    "browse": SEARCH,
    "remember": CREATE,
    "remember_many": CREATE,
    "update": UPDATE,
    "supersede": UPDATE,
    "archive": UPDATE,
    "restore": UPDATE,
    "ingest": UPSERT,
    "import_space": UPSERT,
    "forget": DELETE,
    "forget_project": DELETE,
    "forget_space": DELETE_STORE,
}
