"""Days: when one begins and ends. They are those of UTC, the same for everybody at a server."""

from datetime import UTC, date, datetime, timedelta


def today() -> date:
    """The day that it is now."""
    return datetime.now(UTC).date()


def after(day: date) -> date:
    """The next day.

    >>> after(date(2026, 12, 31)).isoformat()
    '2027-01-01'
    """
    return day + timedelta(days=1)


def before(day: date) -> date:
    """The day before."""
    return day - timedelta(days=1)


def lasts(day: str | None) -> bool:
    """Whether a day, written as 2026-11-16, is not over yet."""
    return day is not None and day >= today().isoformat()
