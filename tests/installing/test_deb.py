"""The Debian package, built without a network: its dependencies are empty files here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from companion.installing import files
from companion.installing.choices import Choices
from releasing import deb
from releasing.source import ROOT, copied


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Builds a package into a folder of that name."""

    def fetch(source, architecture, into, wheel):
        (into / f"flask-3.0-py3-none-{architecture}.whl").write_text("")

    monkeypatch.setattr(deb, "fetch", fetch)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    wheel = tmp_path / "tidetable-0.1.0-py3-none-any.whl"
    wheel.write_text("")

    def build(name: str = "out", architecture: str = "amd64"):
        source = copied(tmp_path / f"source-{name}")
        (tmp_path / name).mkdir()
        return deb.build(source, wheel, architecture, tmp_path / name)

    return build


def told(*words) -> str:
    return subprocess.run(["dpkg-deb", *words], check=True, capture_output=True, text=True).stdout


@pytest.mark.needs("dpkg-deb")
def test_it_owns_the_files_that_the_installation_writes(build, tmp_path):
    package = build()
    told("-R", package, tmp_path / "tree")
    unit = tmp_path / "tree/usr/lib/systemd/system/tidetable.service"
    assert unit.read_text() == files.unit(Choices())
    assert (tmp_path / "tree/usr/lib/udev/rules.d/70-tidetable.rules").read_text()
    wheels = tmp_path / "tree/usr/share/tidetable/wheels"
    assert (wheels / "requirements.txt").read_text() == "flask==3.0\ntidetable==0.1.0\n"
    assert "/etc/" not in told("-c", package)


@pytest.mark.needs("dpkg-deb")
def test_its_name_and_its_fields_say_what_it_is(build):
    package = build(architecture="arm64")
    assert package.name == "tidetable_0.1.0_arm64.deb"
    control = told("-f", package)
    assert "Architecture: arm64\n" in control
    assert re.search(r"^Recommends: .*\bpython3-pyscard\b", control, re.MULTILINE)


@pytest.mark.needs("dpkg-deb")
def test_two_builds_are_equal(build):
    assert build("first").read_bytes() == build("second").read_bytes()


@pytest.mark.needs("dpkg-deb")
def test_all_in_it_is_roots(build):
    assert {line.split()[1] for line in told("-c", build()).splitlines()} == {"root/root"}


@pytest.mark.needs("shellcheck")
@pytest.mark.parametrize("name", deb.SCRIPTS)
def test_shellcheck_has_nothing_to_say_of_its_scripts(name, tmp_path):
    (tmp_path / name).write_text(deb.script(name))
    done = subprocess.run(
        ["shellcheck", tmp_path / name], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("name", deb.SCRIPTS)
def test_its_scripts_have_every_word_put_in(name):
    assert "@" not in deb.script(name).replace('"$@"', "")


def purge(tmp_path, *, data: list[str], settings: str = "", installed: bool = False):
    """What `postrm purge` does, with a folder that stands in for the data folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in data:
        (folder / name).write_text("a game")
    if settings:
        (folder / "table.toml").write_text(settings)
    script = deb.script("postrm").replace("data=/var/lib/tidetable", f"data={folder}")
    ledger = tmp_path / "installed.json"
    script = script.replace("/opt/tidetable/installed.json", str(ledger))
    if installed:
        ledger.write_text("{}")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("rmdir", "sh", "ls", "grep", "rm"):
        (tools / name).symlink_to(shutil.which(name))
    (tools / "getent").write_text("#!/bin/sh\nexit 2\n")
    (tools / "getent").chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", script, "postrm", "purge"],
        check=False,
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
    )
    return folder, done


def test_purging_keeps_the_games_and_says_so(tmp_path):
    folder, done = purge(tmp_path, data=["table.sqlite"])
    assert done.returncode == 0
    assert (folder / "table.sqlite").read_text() == "a game"
    assert f"your games are kept in {folder}" in done.stderr


def test_purging_after_another_way_of_installing_leaves_that_one_alone(tmp_path):
    folder, done = purge(tmp_path, data=[], installed=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert folder.exists()


def test_purging_removes_an_empty_data_folder(tmp_path):
    folder, done = purge(tmp_path, data=[])
    assert (done.returncode, done.stderr) == (0, "")
    assert not folder.exists()


BY_POSTINST = 'host = "0.0.0.0"\nport = 80\n'


@pytest.mark.parametrize(
    ("data", "settings", "kept"),
    [
        ([], BY_POSTINST, False),
        ([], f"{BY_POSTINST}# our own\n", True),
        (["table.sqlite"], BY_POSTINST, True),
    ],
)
def test_purging_removes_settings_that_only_the_package_wrote(tmp_path, data, settings, kept):
    folder, done = purge(tmp_path, data=data, settings=settings)
    assert done.returncode == 0
    assert (folder / "table.toml").exists() == kept


def test_it_says_in_the_settings_where_the_pages_are_served(tmp_path):
    """Its own command, with the real program in the place of the installed one."""
    script = deb.script("postinst")
    (function,) = re.findall(r"^say_where\(\) \{.*?^\}", script, re.MULTILINE | re.DOTALL)
    tools = tmp_path / "venv/bin"
    tools.mkdir(parents=True)
    (tools / "companion").write_text(f'#!/bin/sh\nexec {sys.executable} -m companion.cli "$@"\n')
    (tools / "setpriv").write_text('#!/bin/sh\nshift 4\nexec "$@"\n')
    for name in ("companion", "setpriv"):
        (tools / name).chmod(0o755)
    data = tmp_path / "data"
    data.mkdir()
    function = function.replace("/var/lib/tidetable", str(data))
    path = data / "table.toml"
    for before, after in [
        (None, BY_POSTINST),
        ("port = 81 # ours\n", 'port = 81 # ours\nhost = "0.0.0.0"\n'),
        ("prot = 81\n", "prot = 81\n"),
    ]:
        if before is not None:
            path.write_text(before)
        subprocess.run(
            ["sh", "-e", "-c", f"program={tmp_path}\n{function}\nsay_where"],
            check=True,
            env={"PATH": f"{tools}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        )
        assert path.read_text() == after


@pytest.mark.parametrize(("there", "status"), [(True, 1), (False, 0)])
def test_a_computer_is_installed_in_one_way(tmp_path, there, status):
    script = deb.script("preinst")
    for number, path in enumerate(re.findall(r"-e (/\S+)", script)):
        script = script.replace(path, str(tmp_path / str(number)))
        if there:
            (tmp_path / str(number)).write_text("")
    done = subprocess.run(
        ["sh", "-c", script, "preinst", "install"], check=False, capture_output=True, text=True
    )
    assert done.returncode == status
    assert ("./run uninstall" in done.stderr) is there


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("", 0),
        ("tidetable:x:997:997:Tidetable:/var/lib/tidetable:/usr/sbin/nologin", 0),
        ("tidetable:x:1000:1000:,,,:/srv/tidetable:/bin/bash", 1),
    ],
)
def test_an_account_of_a_person_is_not_the_services(tmp_path, line, status):
    getent = tmp_path / "getent"
    getent.write_text(f"#!/bin/sh\n[ -n '{line}' ] && echo '{line}'\n")
    getent.chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", deb.script("preinst"), "preinst", "install"],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )
    assert done.returncode == status
    assert ("somebody's own" in done.stderr) is bool(status)
