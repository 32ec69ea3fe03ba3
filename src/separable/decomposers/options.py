"""Refusing options that make no sense, in the same words for all methods."""

from __future__ import annotations

import math

from separable.errors import BadInput


def share(method: str, name: str, value: object, most: float = 0.1) -> None:
    """Refuse what is not a number above 0 and up to `most`."""
    if isinstance(value, bool) or not isinstance(value, float | int) or not 0.0 < value <= most:
        raise BadInput(f"{method}: {name} must be a number above 0 and up to {most:g}, got {value!r}")


def positive(method: str, name: str, value: object) -> None:
    """Refuse what is not a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, float | int) or not 0.0 < value < math.inf:
        raise BadInput(f"{method}: {name} must be a finite number above 0, got {value!r}")


def whole(method: str, name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadInput(f"{method}: {name} must be a whole number, {least} or more, got {value!r}")
