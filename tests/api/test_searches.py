"""Searches as a Python program begins them."""

from __future__ import annotations

import pytest

from dbmsolver import Deal, UsageError, prove_many
from dbmsolver.errors import WrongTypeError


def test_many_deals_have_no_store() -> None:
    with pytest.raises(UsageError, match="many deals have no common store, expected none"):
        prove_many([1, 2], store="kept")
    with pytest.raises(WrongTypeError, match="deals is"):
        prove_many(Deal.from_number(1))  # type: ignore[arg-type]
