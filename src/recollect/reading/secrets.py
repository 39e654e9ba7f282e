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

# What must be in a text at all, found at a glance where it begins with plain letters; then what it is called and the
# pattern around it. Keys of examples say so in themselves.
SECRET_TEXTS = (
    (rb"PRIVATE KEY", (
        ("private key", rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s\"'+,>|])*"
                        rb"(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]+: )"),
    )),
    (rb"A(?:[KS]IA|Iza)", (
        ("AWS key", rb"(?<![A-Z0-9])A[KS]IA[0-9A-Z]{16}(?![A-Z0-9])"),
        ("Google key", rb"(?<!\w)AIza[0-9A-Za-z_-]{35}(?![\w-])"),
    )),
    (rb"aws_secret_access_key", (
        ("AWS key", rb"aws_secret_access_key[\"']?\s*[=:]\s*[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"),
    )),
    (rb"g(?:h[pousr]_|ithub_pat_|lpat-)", (
        ("GitHub token", rb"(?<!\w)gh[pousr]_[A-Za-z0-9]{36,}"),
        ("GitHub token", rb"(?<!\w)github_pat_[A-Za-z0-9_]{22,}"),
        ("GitLab token", rb"(?<!\w)glpat-[A-Za-z0-9_-]{20,}"),
    )),
    (rb"xox", (("Slack token", rb"(?<!\w)xox[abeprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}"),)),
    (rb"sk(?:_live_|-)", (
        ("Stripe key", rb"(?<!\w)sk_live_[0-9a-zA-Z]{24,}"),
        ("model service key", rb"(?<![\w-])sk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,}"),
    )),
    (rb"npm_", (("npm token", rb"(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)"),)),
    (rb"pypi-AgE", (("PyPI token", rb"(?<!\w)pypi-AgE[A-Za-z0-9_-]{50,}"),)),
)  # fmt: skip
SECRET_NAME, OPEN_NAME = (re.compile("|".join(map(translate, names))) for names in (SECRET_NAMES, OPEN_NAMES))
COMPILED = tuple(
    (re.compile(glance), tuple((what, re.compile(pattern)) for what, pattern in rows)) for glance, rows in SECRET_TEXTS
)
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
    for glance, rows in COMPILED:
        if glance.search(data):
            for what, pattern in rows:
                if any(not EXAMPLE.search(match[0]) for match in pattern.finditer(data)):
                    return what
    return ""
