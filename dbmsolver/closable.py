"""A base class of objects that are closed at the end of a `with` block."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closable:
    """An object with a method :meth:`close`, which is called however the `with` block ends."""

    def close(self) -> None:
        """Release the resources that it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
