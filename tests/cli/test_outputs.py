"""What every command does with its output: replaced as a whole, written into, or refused before any work."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from ctbnlab.cli.main import main
from ctbnlab.cli.parser import build_parser
from ctbnlab.cli.paths import Input, Learner
from tests.support.command_files import CHANGING, OUTPUTS, TRIAL, arguments, prepare

SIMULATE = "simulate network.json --duration 1 --seed 1 -o"
every_output = pytest.mark.parametrize("case", OUTPUTS)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with the files that the calls read, and what each call writes to a file."""
    folder = tmp_path_factory.mktemp("prepared")
    before = Path.cwd()
    os.chdir(folder)
    try:
        prepare(folder)
        expected = {}
        for case, (line, ending) in OUTPUTS.items():
            assert main(arguments(line, OUT=f"expected{ending}")) == 0
            expected[case] = (folder / f"expected{ending}").read_bytes()
            (folder / f"expected{ending}").unlink()
    finally:
        os.chdir(before)
    return folder, expected


@pytest.fixture
def folder(prepared, tmp_path, monkeypatch):
    shutil.copytree(prepared[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(prepared, case, content):
    """Compare what a call wrote with what it writes to a plain file."""
    if case in CHANGING:
        assert content.startswith(b"{") and content.endswith(b"}\n")
    else:
        assert content == prepared[1][case]


def listing(folder):
    """Return the names in a folder, without the second output of `learn`."""
    return sorted(path.name for path in folder.iterdir() if path.name != "other.json")


def state(folder):
    """Return what would show that anything in a folder was written."""
    found = {path.name: path.lstat() for path in folder.iterdir()}
    return {name: (status.st_ino, status.st_size, status.st_mtime_ns) for name, status in found.items()}


def refused(folder, capfd, case, output, message, status=2):
    """Check that a call writes nothing but one line that names the output."""
    before = state(folder)
    assert main(arguments(OUTPUTS[case][0], OUT=output)) == status
    out, err = capfd.readouterr()
    assert out == "" and err == f"ctbnlab: {output}: {message}\n"
    assert state(folder) == before


@every_output
def test_standard_output(folder, prepared, capfdbinary, case):
    before = listing(folder)
    assert main(arguments(OUTPUTS[case][0], OUT="-")) == 0
    check(prepared, case, capfdbinary.readouterr().out)
    assert listing(folder) == before


@every_output
def test_descriptors_get_the_bytes_at_their_position(folder, prepared, case):
    with (folder / "redirected").open("wb") as file:
        file.write(b"first\n")
        file.flush()
        assert main(arguments(OUTPUTS[case][0], OUT=f"/dev/fd/{file.fileno()}")) == 0
    content = (folder / "redirected").read_bytes()
    assert content.startswith(b"first\n")
    check(prepared, case, content.removeprefix(b"first\n"))


@every_output
def test_pipes(folder, prepared, case):
    os.mkfifo("pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append(Path("pipe").read_bytes()))
    reader.start()
    assert main(arguments(OUTPUTS[case][0], OUT="pipe")) == 0
    reader.join()
    check(prepared, case, received[0])
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@every_output
def test_devices_stay(folder, case):
    before = listing(folder)
    assert main(arguments(OUTPUTS[case][0], OUT="/dev/null")) == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode) and listing(folder) == before


@every_output
def test_a_full_device(folder, capfd, case):
    before = listing(folder)
    assert main(arguments(OUTPUTS[case][0], OUT="/dev/full")) == 2
    assert capfd.readouterr().err.splitlines()[-1] == "ctbnlab: /dev/full: No space left on device"
    assert listing(folder) == before


@every_output
def test_links_are_followed(folder, prepared, case):
    line, ending = OUTPUTS[case]
    Path("elsewhere").mkdir()
    Path(f"link{ending}").symlink_to(f"elsewhere/target{ending}")
    for _ in range(2):  # dangling at first
        assert main(arguments(line, OUT=f"link{ending}")) == 0
        assert Path(f"link{ending}").is_symlink()
        check(prepared, case, Path(f"elsewhere/target{ending}").read_bytes())
    assert listing(Path("elsewhere")) == [f"target{ending}"]


@every_output
def test_the_longest_names(folder, prepared, case):
    line, ending = OUTPUTS[case]
    name = "n" * (255 - len(ending)) + ending
    assert main(arguments(line, OUT=name)) == 0
    check(prepared, case, Path(name).read_bytes())


@every_output
def test_refusals(folder, capfd, case):
    ending = OUTPUTS[case][1]
    Path(f"folder{ending}").mkdir()
    Path(f"loop{ending}").symlink_to(f"loop{ending}")
    refused(folder, capfd, case, f"folder{ending}", "is a folder; name a file to write")
    refused(folder, capfd, case, f"none/out{ending}", "the folder none does not exist; create it first")
    refused(folder, capfd, case, f"tiny.yaml/out{ending}", "tiny.yaml is not a folder")
    refused(folder, capfd, case, f"loop{ending}", "is a loop of symbolic links; name a file")
    refused(folder, capfd, case, "n" * 255 + ending, "File name too long")


def inputs_of(case):
    """Return the files that a call reads."""
    words = arguments(OUTPUTS[case][0], OUT="out")
    args = build_parser().parse_args(words)
    actions = [action for action in args.parser._actions if isinstance(action.type, Input | Learner)]
    values = [getattr(args, action.dest) for action in actions]
    names = [name for value in values for name in (value if isinstance(value, list) else [value])]
    return [name for name in names if name not in (None, "reported")]  # a folder, whose files have a test


@pytest.mark.parametrize(("case", "name"), [(case, name) for case in OUTPUTS for name in inputs_of(case)])
def test_an_input_is_never_the_output(folder, capfd, case, name):
    message = f"is also an input, {name}; write to another file"
    os.link(name, "hard")
    Path("soft").symlink_to(name)
    for output in (f"./{name}", str(folder / name), f"results/../{name}", "hard", "soft"):
        refused(folder, capfd, case, output, message)
    refused(folder, capfd, case, name, "is also an input; write to another file")


def test_the_files_that_a_config_names_are_inputs_too(folder, capfd):
    before = Path(TRIAL, "metrics.json").read_bytes()
    refused(folder, capfd, "collect", f"{TRIAL}/metrics.json", "is also an input; write to another file")
    assert Path(TRIAL, "metrics.json").read_bytes() == before


def test_two_outputs_are_two_files(folder, capfd):
    Path("graph.csv").write_text("old")
    os.link("graph.csv", "hard.csv")
    for names in (["a.csv", "./a.csv"], ["graph.csv", "hard.csv"], ["-", "/dev/stdout"]):
        shown = "/dev/stdout" if "-" in names else names[1]
        assert main(["arcs", "graph.json", "-o", *names]) == 2
        out, err = capfd.readouterr()
        name = "standard output" if "-" in names else shown
        assert (out, err) == ("", f"ctbnlab: {name}: is given as two outputs; name two files\n")
    assert Path("graph.csv").read_text() == "old"
    assert main(["learn", "data.arrow", "-o", "a.json", "--timings", "./a.json"]) == 2
    assert not Path("a.json").exists()
    assert main(["learn", "data.arrow", "-o", "/dev/null", "--timings", "/dev/null"]) == 0


def test_all_tables_of_arcs_or_none(folder, capfd):
    assert main(["arcs", "graph.json", "-o", "a.csv", "b.xyz"]) == 2
    assert main(["arcs", "graph.json", "-o", "a.csv", "/dev/full"]) == 2
    assert not Path("a.csv").exists()
    assert main(["arcs", "graph.json", "-o", "a.csv", "b.xyz", "c.md", "--to", "html"]) == 0
    assert Path("a.csv").read_text().startswith("learner,") and Path("b.xyz").read_text().startswith("<")


def test_results_and_outputs_are_not_mixed(folder, capfd):
    message = "is where the results are printed; name a file here or with -o"
    for name, shown in (("-", "standard output"), ("/dev/fd/1", "/dev/fd/1")):
        assert main(["learn", "data.arrow", "--timings", name]) == 2
        assert capfd.readouterr() == ("", f"ctbnlab: {shown}: {message}\n")
    with Path("both").open("w") as file:
        command = [sys.executable, "-m", "ctbnlab", "learn", "data.arrow", "--timings", "both"]
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"ctbnlab: both: {message}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "convert data.csv -",
            "no file extension; use --to or one of .arrow, .feather, .parquet, .csv, .tsv, .json",
        ),
        (f"{SIMULATE} -", "no file extension; use --to or one of .arrow"),
        ("plot graph.json -o -", "no file extension; use --to or one of .png, .pdf, .svg"),
    ],
)
def test_a_stream_needs_a_format(folder, capfd, words, message):
    assert main(words.split()) == 2
    assert capfd.readouterr().err.startswith(f"ctbnlab: standard output: {message}")


def test_formats_and_extensions_agree(folder, capfd):
    assert main(["plot", "graph.json", "-o", "a.png", "--to", "svg"]) == 2
    assert main([*SIMULATE.split(), "a.csv", "--to", "arrow"]) == 2
    assert main(["convert", "data.arrow", "a.parquet", "--to", "csv"]) == 2
    assert capfd.readouterr().err.splitlines() == [
        "ctbnlab: a.png: a .png file cannot have the format svg",
        "ctbnlab: a.csv: a .csv file cannot have the format arrow",
        "ctbnlab: a.parquet: a .parquet file cannot have the format csv",
    ]
    assert main(["convert", "data.csv", "a.tsv", "--from", "csv", "--to", "csv"]) == 0
    assert Path("a.tsv").read_text().startswith("trajectory\ttime\t")


@pytest.mark.parametrize("command", ["tables", "figures"])
def test_output_folders(folder, capfd, command):
    for output, message in (
        ("data.csv", "is a file; name a folder to write to"),
        ("data.csv/tables", f"{folder}/data.csv is not a folder"),
        ("-", "standard output cannot hold several files; name a folder"),
    ):
        before = listing(folder)
        assert main([command, "metrics.parquet", "-o", output]) == 2
        assert capfd.readouterr() == ("", f"ctbnlab: {output}: {message}\n")
        assert listing(folder) == before


# ---- Disks and permissions ----


@pytest.fixture
def disk(tmp_path):
    """Yield a function that mounts a small disk with certain options."""
    mounted = []

    def mount(options):
        folder = tmp_path / "disk"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"mounting a small disk is refused here: {done.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


@every_output
def test_a_read_only_disk(folder, disk, capfd, case):
    output = f"{disk('size=64k,ro')}/out{OUTPUTS[case][1]}"
    refused(folder, capfd, case, output, "Read-only file system")


@every_output
def test_a_full_disk(folder, disk, capfd, case):
    full = disk("size=64k")
    with pytest.raises(OSError, match="No space"), (full / "file").open("wb") as file:
        file.write(bytes(1 << 20))
    output = f"{full}/out{OUTPUTS[case][1]}"
    assert main(arguments(OUTPUTS[case][0], OUT=output)) == 2
    out, err = capfd.readouterr()
    assert (out, err.splitlines()[-1]) == ("", f"ctbnlab: {output}: No space left on device")
    assert listing(full) == ["file"]


AS_ANOTHER_USER = """
import os, sys
from ctbnlab.cli.main import main
arguments = ["generate", "--nodes", "2", "--density", "0.5", "-o"]
main([*arguments, os.devnull])  # loads all modules, which the other user may not be able to read
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
sys.exit(main([*arguments, sys.argv[1]]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_no_permission():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        output = Path(folder, "out.json")
        command = [sys.executable, "-c", AS_ANOTHER_USER, output]
        # Another user cannot write what coverage measures.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert (done.returncode, done.stderr) == (2, f"ctbnlab: {output}: Permission denied\n")
        assert not output.exists()
