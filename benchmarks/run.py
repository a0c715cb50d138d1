"""`make bench`: Rubricator beside its peer, in one run, since two machines or two moments can't be compared.

usage: python benchmarks/run.py [retrieval] [knowledge] [scale] [--large N]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import knowledge
import retrieval
import scale
from report import SHARED, Report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["retrieval", "knowledge", "scale"])
    parser.add_argument("--large", type=int, default=50_000, help="files in the largest tree of `scale`")
    args = parser.parse_args()
    report = Report()
    for part in args.parts:
        if part in {"retrieval", "knowledge"} and not SHARED.is_dir():
            print(f"{part}: left out, since {SHARED} is not there")
            continue
        if part == "retrieval":
            retrieval.run(report)
        elif part == "knowledge":
            knowledge.run(report)
        else:
            scale.run(report, large=args.large)
    report.show()


if __name__ == "__main__":
    main()
