"""Who asks, and what they may: a key in `Authorization: Bearer` stands for rights in spaces.

Without keys everybody on this machine may do everything, and nobody else can reach it. What a caller may not see is
refused before anything is looked up, so a refusal is the same whether it exists or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from fastapi import Depends, Query, Request

from recollect.doors.http.bodies import documented
from recollect.doors.http.errors import FORBIDDEN, UNAUTHORISED, Noted, Rejected, Told
from recollect.engine import DEFAULT_SPACE
from recollect.errors import InvalidInput
from recollect.records import LONGEST_SPACE_NAME, check_space

EVERY_SPACE = "*"
ANONYMOUS = "anonymous"


class Right(StrEnum):
    """What a key may do. Admin may do everything in its spaces; reading and writing do not include each other."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks: the id of their key, and what it is good for."""

    id: str
    rights: frozenset[Right]
    spaces: frozenset[str]
    noted: Noted = field(default_factory=Noted, compare=False)

    @property
    def sees_all(self) -> bool:
        """Whether they may look into every space."""
        return EVERY_SPACE in self.spaces

    def sees(self, space: str) -> bool:
        """Whether they may look into this one."""
        return self.sees_all or space in self.spaces

    def has(self, right: Right) -> bool:
        """Whether they have a right."""
        return right in self.rights or Right.ADMIN in self.rights

    def check(self, right: Right, space: str | None) -> str:
        """The space meant, if the caller may do this there. Left out, it is the only one of the key, or the default.

        >>> Caller("k", frozenset({Right.READ}), frozenset({"team"})).check(Right.READ, None)
        'team'
        """
        if space is None:
            space = next(iter(self.spaces)) if len(self.spaces) == 1 and not self.sees_all else DEFAULT_SPACE
        check_space(space)
        if not self.sees(space) or not self.has(right):
            raise _forbidden(right, f"space {space!r}")
        self.noted.space = space
        return space

    def check_all(self, right: Right) -> None:
        """Refuse whoever may not do this in every space: for what is about the whole service."""
        if not self.sees_all or not self.has(right):
            raise _forbidden(right, "the whole service")


def everybody(noted: Noted | None = None) -> Caller:
    """Whoever asks while there are no keys."""
    return Caller(ANONYMOUS, frozenset(Right), frozenset({EVERY_SPACE}), noted or Noted())


def _forbidden(right: Right, where: str) -> Rejected:
    detail = f"this key may not {right.value if right is not Right.ADMIN else 'administer'} in {where}"
    return Rejected(FORBIDDEN, Told(detail, field="space", remedy="use a key with that right in that space"))


def caller_of(request: Request) -> Caller:
    """Who makes this request; the gate has found out already."""
    found = getattr(request.state, "caller", None)
    if not isinstance(found, Caller):
        raise Rejected(UNAUTHORISED, Told("no key was given", headers={"WWW-Authenticate": "Bearer"}))
    return found


Asker = Annotated[Caller, Depends(caller_of)]
SpaceQuery = Annotated[
    str | None,
    Query(
        description="The space; left out, the only one of the key, or `default`.",
        examples=["default"],
        **documented(minLength=1, maxLength=LONGEST_SPACE_NAME),
    ),
]


class _Allowed:
    """A dependency that checks the query's space for one right, and gives the space."""

    def __init__(self, right: Right) -> None:
        self.right = right

    def __call__(self, request: Request, caller: Asker, space: SpaceQuery = None) -> str:
        if len(request.query_params.getlist("space")) > 1:
            raise InvalidInput("space is given more than once; give it once", field="space")
        return caller.check(self.right, space)


ReadingIn = Annotated[str, Depends(_Allowed(Right.READ))]
WritingIn = Annotated[str, Depends(_Allowed(Right.WRITE))]
AdministeringIn = Annotated[str, Depends(_Allowed(Right.ADMIN))]
