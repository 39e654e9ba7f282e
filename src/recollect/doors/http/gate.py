"""The gate every request passes before a route sees it: is it meant for us, who asks, and is it too much?

Host and Origin are checked because a web page can make a browser on this machine send requests to loopback, under a
name of its own choosing. Whoever has no key is turned away here, before the body is read.
"""

from __future__ import annotations

import re
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.doors.http.access import Caller, everybody
from recollect.doors.http.errors import BAD_HOST, UNAUTHORISED, Noted, Rejected, Told
from recollect.doors.http.keys import KeyRing
from recollect.doors.http.limits import Limits
from recollect.settings import ServiceSettings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
EVERYWHERE = frozenset({"0.0.0.0", "::", ""})
OPEN_PATHS = frozenset({"/health", "/ready", "/v1/version", "/openapi.json"})
BEARER = "bearer "
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:\[\]@]*))(?::[0-9]*)?")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Gate:
    """Wraps the app: sets who asks, or turns the request away. Who has no key sees the open paths only."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: ServiceSettings,
        keys: KeyRing,
        limits: Limits,
        open_paths: frozenset[str] = frozenset(),
    ) -> None:
        self._app = app
        self._open_paths = open_paths
        self._settings = settings
        self._keys = keys
        self._limits = limits
        self._hosts = allowed_hosts(settings)
        self._origins = allowed_origins(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        self._check_host(headers)
        noted = scope["state"]["noted"]
        address = scope["client"][0] if scope.get("client") else "unknown"
        caller = self._caller(headers, address, noted)
        scope["state"]["caller"] = caller
        with self._limits.admitted(caller.id if caller else f"from {address}"):
            if caller is None and scope["path"] not in self._open_paths:
                raise _no_key(headers)
            await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        name = host_name(host)
        if self._hosts is not None and name not in self._hosts:
            detail = f"this service does not go by the name {name[:200]!r}"
            raise Rejected(BAD_HOST, Told(detail, field="Host", remedy="add it to service.allowed_hosts"))
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins and origin.partition("://")[2] != host:
            detail = f"pages of {origin[:200]!r} may not ask here"
            raise Rejected(BAD_HOST, Told(detail, field="Origin", remedy="add it to service.allowed_origins"))

    def _caller(self, headers: Headers, address: str, noted: Noted) -> Caller | None:
        if not self._keys.required:
            may = is_loopback(self._settings.host) and (is_loopback(address) or address == "unknown")
            return everybody(noted) if may else None
        given = headers.get("authorization", "")
        if given[: len(BEARER)].lower() != BEARER:
            return None
        key = self._keys.find(given[len(BEARER) :].strip())
        return Caller(key.id, key.rights, key.spaces, noted) if key else None


def allowed_hosts(settings: ServiceSettings) -> frozenset[str] | None:
    """The names requests may call this host by; None where it listens on every address and no names were given."""
    given = frozenset(host_name(each) for each in _listed(settings.allowed_hosts))
    if settings.host in EVERYWHERE and not given:
        return None
    return LOOPBACK_NAMES | {settings.host.lower()} | given


def allowed_origins(settings: ServiceSettings) -> frozenset[str]:
    """The origins of other pages that may ask, as a browser writes them."""
    return frozenset(each.rstrip("/").lower() for each in _listed(settings.allowed_origins))


def host_name(host: str) -> str:
    """The name in a Host header, without port and brackets; what is none is left whole, and is nobody's name.

    >>> host_name("LocalHost:80"), host_name("[::1]:80"), host_name("::1"), host_name("localhost:80@evil")
    ('localhost', '::1', '::1', 'localhost:80@evil')
    """
    found = HOST.fullmatch(host.lower())
    return found[1] or found[2] if found else host.lower()


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _no_key(headers: Headers) -> Rejected:
    detail = "this key is not valid here" if headers.get("authorization") else "no key was given"
    remedy = "send 'Authorization: Bearer KEY'; 'recollect keys create' makes one"
    return Rejected(UNAUTHORISED, Told(detail, remedy=remedy, headers={"WWW-Authenticate": "Bearer"}))
