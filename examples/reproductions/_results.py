"""A file of finished results, and tables of them, for the reproductions."""

import json
import time
import warnings

import numpy as np

__all__ = ["Results", "groups", "lines", "spread"]


class Results:
    """Finished rows in a file of JSON lines."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.rows = []
        if self.path.exists():
            self.rows = [json.loads(line) for line in self.path.open()]

    def add(self, measure, **key):
        """Measure a row, unless it is there; it may know its CPU seconds itself."""
        if self.find(**key):
            return
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of runs that are short on purpose
            row = key | measure()
        row.setdefault("cpu", round(time.process_time() - begin, 2))
        self.rows.append(row)
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(row, flush=True)

    def find(self, **key):
        """Rows that agree with the key."""
        return [r for r in self.rows if all(r.get(k) == v for k, v in key.items())]


def groups(rows, *names):
    """Rows with equal values of the names, in order of first appearance."""
    out = {}
    for row in rows:
        out.setdefault(tuple(row[name] for name in names), []).append(row)
    return out


def spread(rows, name, scale=1.0, digits=1):
    """Mean, and standard deviation where there are several."""
    values = scale * np.array([row[name] for row in rows], dtype=float)
    text = f"{values.mean():,.{digits}f}"
    return text + (f" ± {values.std():.{digits}f}" if len(values) > 1 else "")


def lines(head, body):
    """A table in Markdown."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for cells in body:
        yield "| " + " | ".join(map(str, cells)) + " |"
