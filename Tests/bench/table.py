"""What a measurement is held against, and how it is printed."""

import statistics


class Goal:
    """One line of the table: a figure, what it is held against, and whether it is enough."""

    def __init__(self, goal, figure, *, beside=None, wanted=None, at_least=False, ratio=None):
        """`figure` and `beside` are texts; `ratio` is held against `wanted`."""
        self.goal, self.figure, self.beside = goal, figure, beside
        self.ratio, self.wanted, self.at_least = ratio, wanted, at_least

    @property
    def is_met(self):
        if self.wanted is None:
            return None
        return self.ratio >= self.wanted if self.at_least else self.ratio <= self.wanted

    @property
    def cells(self):
        sign = "≥" if self.at_least else "≤"
        return [
            self.goal, self.figure, self.beside or "",
            "" if self.ratio is None else f"{self.ratio:.2f}",
            "" if self.wanted is None else f"{sign} {self.wanted:.3g}",
            {True: "yes", False: "NO", None: ""}[self.is_met]]


HEADINGS = ["", "ratingd", "beside", "ratio", "wanted", "met"]
WIDTHS = [48, 10, 32, 6, 7, 3]


def median(samples):
    return statistics.median(samples)


def thousands(value):
    return f"{value:,.0f}"


def microseconds(value):
    return f"{value:,.1f} µs" if value < 1000 else f"{value / 1000:,.2f} ms"


def compare(goal, samples, server, wanted, *, at_least=False, text=thousands):
    """The line for the medians of ratingd's samples beside those of another server."""
    ours, theirs = median(samples["ratingd"]), median(samples[server])
    return Goal(goal, text(ours), beside=f"{server} {text(theirs)}", wanted=wanted,
                at_least=at_least, ratio=ours / theirs)


def lines(rows):
    """Rows of cells as text in columns, the same for every table."""
    for row in [HEADINGS, *rows]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, WIDTHS)).rstrip()


def markdown(rows):
    yield "| " + " | ".join(HEADINGS) + " |"
    yield "|---" * len(HEADINGS) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
