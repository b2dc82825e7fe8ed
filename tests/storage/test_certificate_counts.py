"""The counts of a certificate."""

from __future__ import annotations

from random import Random

from dbmsolver.storage.certificate import _counts


def test_what_a_certificate_counts() -> None:
    """Of a shortest solution the layers below its length; of all else everything that is closed."""
    random = Random(6)
    for _ in range(300):
        strata = [
            tuple(random.randint(0, 9) for _ in range(4)) for _ in range(random.randint(0, 8))
        ]
        claim = random.choice(("shortest", "unsolvable", "solution"))
        length = random.choice((None, 0, 3, 5, 9))
        counted = _counts(claim, strata, length, "digest")
        whole = [
            row
            for row in strata
            if not (claim == "shortest" and length is not None) or row[0] < length
        ]
        assert counted["states"] == sum(states for _, _, states, _ in whole)
        assert counted["forced"] == sum(forced for *_, forced in whole)
        assert [tuple(row.values()) for row in counted["strata"]] == whole
        assert all(
            list(row) == ["layer", "stratum", "states", "forced"] for row in counted["strata"]
        )
        assert counted["digest"] == ("digest" if claim == "unsolvable" else None)
