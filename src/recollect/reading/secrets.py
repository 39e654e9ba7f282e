"""What must not be stored: files that hold keys by their name, and texts in which keys are plain to see."""

from __future__ import annotations

import re
from fnmatch import translate

# Patterns on the name of a file, in small letters; the second table takes back what only looks like one.
SECRET_NAMES = (
    ".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".pgpass", ".pypirc", ".npmrc", ".htpasswd",
    ".git-credentials", ".vault-token", "credentials", "credentials.json", "credentials.y*ml", "credentials.toml",
    "credentials.ini", "credentials.csv", "secrets.json", "secrets.y*ml", "secrets.toml", "secrets.ini", "secrets.env",
    "client_secret*.json", "service-account*.json", "service_account*.json", "*.tfstate", "*.tfstate.backup",
)  # fmt: skip
OPEN_NAMES = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")

# What must be in a text at all, the pattern around it, and what it is called. Keys of examples say so in themselves.
SECRET_TEXTS = (
    (
        b"PRIVATE KEY",
        rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s\"'+,>|])*"
        rb"(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]+: )",
        "private key",
    ),
    (b"AKIA", rb"(?<![A-Z0-9])AKIA[0-9A-Z]{16}(?![A-Z0-9])", "AWS key"),
    (b"ASIA", rb"(?<![A-Z0-9])ASIA[0-9A-Z]{16}(?![A-Z0-9])", "AWS key"),
    (
        b"aws_secret_access_key",
        rb"aws_secret_access_key[\"']?\s*[=:]\s*[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
        "AWS key",
    ),
    (b"ghp_", rb"(?<!\w)ghp_[A-Za-z0-9]{36,}", "GitHub token"),
    (b"gho_", rb"(?<!\w)gho_[A-Za-z0-9]{36,}", "GitHub token"),
    (b"ghu_", rb"(?<!\w)ghu_[A-Za-z0-9]{36,}", "GitHub token"),
    (b"ghs_", rb"(?<!\w)ghs_[A-Za-z0-9]{36,}", "GitHub token"),
    (b"ghr_", rb"(?<!\w)ghr_[A-Za-z0-9]{36,}", "GitHub token"),
    (b"github_pat_", rb"(?<!\w)github_pat_[A-Za-z0-9_]{22,}", "GitHub token"),
    (b"glpat-", rb"(?<!\w)glpat-[A-Za-z0-9_-]{20,}", "GitLab token"),
    (b"xox", rb"(?<!\w)xox[abeprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}", "Slack token"),
    (b"AIza", rb"(?<!\w)AIza[0-9A-Za-z_-]{35}(?![\w-])", "Google key"),
    (b"sk_live_", rb"(?<!\w)sk_live_[0-9a-zA-Z]{24,}", "Stripe key"),
    (b"sk-", rb"(?<![\w-])sk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,}", "model service key"),
    (b"npm_", rb"(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)", "npm token"),
    (b"pypi-AgE", rb"(?<!\w)pypi-AgE[A-Za-z0-9_-]{50,}", "PyPI token"),
)  # fmt: skip
SECRET_NAME, OPEN_NAME = (re.compile("|".join(map(translate, names))) for names in (SECRET_NAMES, OPEN_NAMES))
COMPILED = tuple((needle, re.compile(pattern), what) for needle, pattern, what in SECRET_TEXTS)
EXAMPLE = re.compile(rb"example|x{6}|0{8}|1234567890|\*{4}", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Whether a file of this name holds keys or passwords.

    >>> [is_secret_name(each) for each in (".env", ".env.example", "server.PEM", "id_rsa.pub", "environment.md")]
    [True, False, True, False, False]
    """
    low = name.lower()
    return SECRET_NAME.match(low) is not None and OPEN_NAME.match(low) is None


def secret_in(data: bytes) -> str:
    """What sort of key is plain to see in a text, empty when there is none.

    >>> secret_in(b"token = 'ghp_" + b"aZ3k" * 9 + b"'"), secret_in(b"AKIAIOSFODNN7EXAMPLE"), secret_in(b"a ghp_ token")
    ('GitHub token', '', '')
    """
    for needle, pattern, what in COMPILED:
        if needle in data and any(not EXAMPLE.search(match[0]) for match in pattern.finditer(data)):
            return what
    return ""
