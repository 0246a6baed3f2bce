"""What a benchmark should reach."""


class Aims:
    """Says of each measured value whether it is good enough, and remembers which were not.

    >>> aims = Aims()
    >>> aims.verdict("milliseconds a step", 12.0, at_most=16)
    'ok'
    >>> aims.verdict("times as fast", 30.0, at_least=50)
    'MISSED, the aim is at least 50'
    >>> aims.exit_status()
    '1 aim missed: times as fast'
    """

    def __init__(self) -> None:
        self.missed: list[str] = []

    def verdict(self, what: str, value: float, *, at_most: float | None = None, at_least: float | None = None) -> str:
        if (at_most is None or value <= at_most) and (at_least is None or value >= at_least):
            return "ok"
        self.missed.append(what)
        return f"MISSED, the aim is {f'at most {at_most}' if at_most is not None else f'at least {at_least}'}"

    def exit_status(self) -> str | None:
        """For ``sys.exit``: None if all was reached, else what was not, which is an exit with 1."""
        n = len(self.missed)
        return f"{n} aim{'s' if n > 1 else ''} missed: {', '.join(self.missed)}" if n else None
