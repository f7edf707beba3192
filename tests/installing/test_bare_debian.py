"""What `.ci/bare-debian` judges by. The run itself takes minutes and is no part of the suite."""

from __future__ import annotations

from companion.installing import files
from companion.installing.choices import Choices
from releasing.bare import base
from releasing.bare.by_hand import Unit, port_in
from releasing.bare.chroot import Chroot, Failed
from releasing.bare.tree import contents, differences, judged


def test_what_came_went_and_changed_is_told(tmp_path):
    (tmp_path / "etc").mkdir()
    for name in ("stays", "changes", "goes"):
        (tmp_path / "etc" / name).write_text(name)
    (tmp_path / "run").mkdir()
    before = contents(tmp_path)
    (tmp_path / "etc/changes").write_text("changed")
    (tmp_path / "etc/goes").unlink()
    (tmp_path / "etc/stays").chmod(0o600)
    (tmp_path / "etc/comes").symlink_to("stays")
    (tmp_path / "run/passes").write_text("")
    changed = [f"/etc/{name}" for name in ("changes", "comes", "goes", "stays")]
    assert list(differences(before, contents(tmp_path))) == changed


def test_only_the_data_and_what_is_named_may_be_left():
    paths = [
        "/var/lib/tidetable/table.sqlite",
        "/var/log/apt/x",
        "/usr/bin/x",
        "/etc/udev/rules.d/x",
    ]
    explained, left = judged(paths, "/var/lib/tidetable", ["/usr/bin/x"])
    assert explained == {"the data": 1, "logs": 1, "packages of Debian": 1}
    assert left == ["/etc/udev/rules.d/x"]


def test_what_a_package_switched_on_is_its_own_and_what_we_did_is_not():
    wants = "/etc/systemd/system/multi-user.target.wants"
    paths = ["/usr/lib/udev/x", "/etc/rc0.d/K01pcscd", f"{wants}/x", f"{wants}/tidetable.service"]
    explained, left = judged(paths, "/var/lib/tidetable", ["/lib/udev/x"])
    assert sum(explained.values()) == 3
    assert left == [f"{wants}/tidetable.service"]


def test_another_folder_with_a_longer_name_is_not_the_data():
    assert judged(["/var/lib/tidetable2"], "/var/lib/tidetable", [])[1] == ["/var/lib/tidetable2"]


def test_the_service_is_started_with_the_rights_of_its_unit():
    command = Unit(files.unit(Choices())).command()
    assert "--reuid=tidetable" in command
    assert "--ambient-caps=+net_bind_service" in command
    assert "PYTHONUNBUFFERED=1" in command
    assert " ".join(command).endswith("run --data /var/lib/tidetable")


def test_where_it_serves_is_what_its_settings_say(tmp_path):
    (tmp_path / "table.toml").write_text('host = "0.0.0.0"\nport = 8081\n')
    assert port_in(tmp_path) == 8081


def test_settings_that_name_files_are_moved_with_them(tmp_path, monkeypatch):
    (tmp_path / "index/simple").mkdir(parents=True)
    said = f"global.extra-index-url='file://{tmp_path}/index/simple'\n:env:.timeout='9'\n"
    monkeypatch.setattr(base, "output", lambda *command: said if "pip" in command else "")
    for name in ("usr/sbin", "etc/apt/apt.conf.d"):
        (tmp_path / "tree" / name).mkdir(parents=True)
    mounts = base.hand_in(tmp_path / "tree")
    ((path, place),) = mounts.items()
    settings = (tmp_path / "tree/etc/pip.conf").read_text()
    assert path == tmp_path / "index"
    assert settings == f"[global]\nextra-index-url = file://{place}/simple\ntimeout = 9\n"


def test_a_step_that_fails_is_told_and_remembered(tmp_path, capsys):
    chroot = Chroot(tmp_path)

    def fails() -> None:
        raise Failed("no")

    assert chroot.step("this", lambda: "well")
    assert not chroot.step("that", fails)
    assert chroot.failures == ["that"]
    assert capsys.readouterr().out == "   0.0 s  this: well\n   0.0 s  that: FAILED: no\n"
