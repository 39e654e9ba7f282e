"""A LangChain chain that only asks its model when something answers."""

import tempfile

from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableBranch, RunnableLambda

from recollect import BlockingRecollect
from recollect.adapters.langchain import RecollectRetriever

PROMPT = ChatPromptTemplate.from_template("Known:\n{known}\n\nQuestion: {question}")

with tempfile.TemporaryDirectory() as folder, BlockingRecollect.open(folder) as memory:
    memory.remember("The weekly report goes to Ana as a table.")
    retriever = RecollectRetriever(memory=memory, limit=3)

    def look_up(question: str) -> dict[str, object]:
        return {"question": question, "known": [document.page_content for document in retriever.invoke(question)]}

    model = FakeListChatModel(responses=["Ana gets it, as a table."])  # stands in for yours
    chain = RunnableLambda(look_up) | RunnableBranch(
        (lambda found: not found["known"], RunnableLambda(lambda found: "Nothing that is stored answers this.")),
        PROMPT | model | StrOutputParser(),
    )
    for asked in ("Who gets the weekly report?", "What does the yoga teacher charge?"):
        print(asked, "->", chain.invoke(asked))
