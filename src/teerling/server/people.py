"""Who somebody is: a signed cookie, no account."""

import secrets
from dataclasses import dataclass

from itsdangerous import BadSignature, URLSafeSerializer

COOKIE = "teerling"
LANG_COOKIE = "lang"
MOST_NAME = 40


@dataclass(frozen=True)
class Person:
    """Somebody at the server."""

    id: str
    name: str
    renewed: int = 0
    """How often their personal link was renewed."""


class Signatures:
    """Signs who somebody is, for cookies and for the link that opens a second device."""

    def __init__(self, secret: str) -> None:
        self._cookie = URLSafeSerializer(secret, salt="person")
        self._link = URLSafeSerializer(secret, salt="second device")

    def cookie(self, person_id: str) -> str:
        return self._dump(self._cookie, person_id)

    def link(self, person_id: str, renewed: int = 0) -> str:
        """The personal link of somebody, as it is after so many times that it was renewed."""
        return str(self._link.dumps([person_id, renewed] if renewed else person_id))

    def person_of_cookie(self, text: str | None) -> str | None:
        return self._load(self._cookie, text)

    def person_of_link(self, text: str | None) -> tuple[str, int] | None:
        """Whose personal link a text is, and how often it had been renewed then."""
        try:
            found = self._link.loads(text or "")
        except BadSignature:
            return None
        match found:
            case str():
                return found, 0
            case [str(person_id), int(renewed)]:
                return person_id, renewed
        return None

    @staticmethod
    def _dump(serializer: URLSafeSerializer, person_id: str) -> str:
        return str(serializer.dumps(person_id))

    @staticmethod
    def _load(serializer: URLSafeSerializer, text: str | None) -> str | None:
        try:
            found = serializer.loads(text or "")
        except BadSignature:
            return None
        return found if isinstance(found, str) else None


def new_person_id() -> str:
    return secrets.token_hex(12)


def clean_name(text: str) -> str:
    """A name without line breaks and control characters, not too long."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:MOST_NAME].strip()
