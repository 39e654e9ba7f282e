"""Names that are written in more than one way: tickers, short forms, and what they stand for.

`spellings(name)` gives all of them, the one asked for first. Only what means one thing in nearly every text is listed:
a short form that is also a common word (US, IT, WHO) counts only as it is written, in capitals.
"""

from __future__ import annotations

GROUPS = """
    BTC, Bitcoin, XBT | ETH, Ethereum, Ether | SOL, Solana | XRP, Ripple | ADA, Cardano | DOGE, Dogecoin |
    DOT, Polkadot | LTC, Litecoin | AVAX, Avalanche | LINK, Chainlink | MATIC, Polygon | BNB, Binance Coin |
    USDT, Tether | AAPL, Apple | MSFT, Microsoft | GOOG, GOOGL, Google, Alphabet | AMZN, Amazon | TSLA, Tesla |
    NVDA, Nvidia | FB, Facebook | EUR, euro, euros, € | USD, dollar, dollars, US dollar | GBP, pound sterling |
    JPY, yen | CHF, Swiss franc | S&P, S&P 500, SPX | NYC, New York City, New York | LA, Los Angeles |
    SF, San Francisco | DC, Washington DC, Washington D.C. | USA, United States, US, U.S., America |
    UK, United Kingdom, U.K., Britain, Great Britain | UAE, United Arab Emirates | EU, European Union |
    UN, United Nations | NATO, North Atlantic Treaty Organization |
    NASA, National Aeronautics and Space Administration |
    WHO, World Health Organization | FBI, Federal Bureau of Investigation | CIA, Central Intelligence Agency |
    MIT, Massachusetts Institute of Technology | UCLA, University of California Los Angeles |
    BBC, British Broadcasting Corporation | AWS, Amazon Web Services | GCP, Google Cloud |
    K8s, Kubernetes | JS, JavaScript | TS, TypeScript | Postgres, PostgreSQL | Mongo, MongoDB | ES, Elasticsearch |
    GH, GitHub | VS Code, Visual Studio Code | ML, machine learning | AI, artificial intelligence |
    NLP, natural language processing | LLM, large language model | API, application programming interface |
    DB, database | CI, continuous integration | PR, pull request | QA, quality assurance | UX, user experience |
    CEO, chief executive officer, chief executive | CTO, chief technology officer | CFO, chief financial officer |
    HR, human resources | R&D, research and development | VAT, value added tax | GDP, gross domestic product |
    ETF, exchange traded fund | IPO, initial public offering | PnL, P&L, profit and loss | TP, take profit |
    SL, stop loss | WWI, World War I, First World War | WWII, World War II, Second World War
    """
SHORTEST_IN_ANY_CASE = 4  # letters: shorter ones are looked up as they are written, "sol" and "us" are words


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for each in GROUPS.split("|"):
        group = tuple(" ".join(name.split()) for name in each.split(","))
        for name in group:
            others = (name, *(other for other in group if other != name))
            table.setdefault(name, others)
            if len(name) >= SHORTEST_IN_ANY_CASE:
                table.setdefault(name.lower(), others)
    return table


TABLE = _table()


def spellings(name: str) -> tuple[str, ...]:
    """The name and its other spellings.

    >>> spellings("BTC"), spellings("Ana")
    (('BTC', 'Bitcoin', 'XBT'), ('Ana',))
    """
    known = TABLE.get(name) or TABLE.get(name.lower())
    return (name, *known[1:]) if known else (name,)
