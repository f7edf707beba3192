"""The steps of a run, in their order."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from companion.installing.access_point import WITHOUT
from companion.installing.display import ALONE, PROGRAMS
from releasing.bare.chroot import Chroot, Failed
from releasing.bare.tree import contents, differences, judged

CLONE = "/srv/checkout"
DATA = "/var/lib/tidetable"
INSTALLED_UNIT = "/etc/systemd/system/tidetable.service"
KIOSK_UNIT = "/etc/systemd/system/tidetable-kiosk.service"
WIFI = "Stół; 7"
CONNECTION = "/etc/NetworkManager/system-connections/tidetable.nmconnection"
PACKAGED_UNIT = "/usr/lib/systemd/system/tidetable.service"
EXPOSURE = 3.0
ROOT = Path(__file__).parents[2]


def go_through(chroot: Chroot) -> None:
    """All of it; each step prints a line, and what fails is in `chroot.failures`."""
    chroot.step("clone", lambda: _clone(chroot))
    if not chroot.step("./run --help, the first start", lambda: _first_start(chroot)):
        return
    chroot.step("./run, a page", lambda: _page(chroot))
    chroot.step("./run test tests/test_uid.py", lambda: _tests(chroot))
    before = contents(chroot.tree)
    packages = _packages(chroot)
    if chroot.step("./run install --dry-run", lambda: _dry_run(chroot, before)):
        if chroot.step("./run install", lambda: _install(chroot)):
            chroot.step("./run install, again", lambda: _install_again(chroot))
            _the_service(chroot, INSTALLED_UNIT)
        chroot.step("./run uninstall", lambda: _last(chroot.run("./run", "uninstall", cwd=CLONE)))
        chroot.step("what is left", lambda: _compare(chroot, before, packages))
        _the_display(chroot)
        chroot.run("rm", "-rf", DATA)
        chroot.run("userdel", "tidetable", fails=True)
    _the_package(chroot)


def _the_display(chroot: Chroot) -> None:
    """With the packages there before: what those leave behind hides nothing then."""
    names = (*PROGRAMS, *ALONE, *WITHOUT)
    install = ("apt-get", "install", "-qq", "-y", "--no-install-recommends", *names)
    if not chroot.step("packages of a display and a Wi-Fi", lambda: _last(chroot.run(*install))):
        return
    before, packages = contents(chroot.tree), _packages(chroot)
    if chroot.step("./run install, with a display and a Wi-Fi", lambda: _display(chroot)):
        chroot.step("the display's unit", lambda: _verify(chroot, KIOSK_UNIT))
        chroot.step("the display's user", lambda: _kiosk_user(chroot))
        chroot.step("the Wi-Fi's file", lambda: _wifi(chroot))
    chroot.step("./run uninstall", lambda: _last(chroot.run("./run", "uninstall", cwd=CLONE)))
    chroot.step("what is left", lambda: _compare(chroot, before, packages))


def _the_package(chroot: Chroot) -> None:
    packages: list[str] = []

    def build() -> str:
        packages.append(_last(chroot.run("./run", "package", cwd=CLONE)))
        chroot.run("apt-get", "install", "-y", "--no-install-recommends", "python3-venv", "passwd")
        return packages[0]

    if not chroot.step("./run package", build):
        return
    package = packages[0]
    before, there = contents(chroot.tree), _packages(chroot)

    def dpkg(*words: str) -> str:
        return _last(chroot.run("dpkg", *words, network=False))

    if not chroot.step("the .deb, without a network", lambda: dpkg("--install", package)):
        return
    chroot.step("it starts with the computer", lambda: _is_enabled(chroot))
    _the_service(chroot, PACKAGED_UNIT)
    chroot.step("the same package, as an upgrade", lambda: dpkg("--install", package))
    chroot.step("a service after the upgrade", lambda: _by_hand(chroot, PACKAGED_UNIT))
    chroot.step("another Python, by dpkg's trigger", lambda: _other_python(chroot))
    chroot.step("the package removed", lambda: dpkg("--remove", "tidetable"))
    chroot.step("the package purged", lambda: dpkg("--purge", "tidetable"))
    chroot.step("what is left of it", lambda: _compare(chroot, before, there))


def _the_service(chroot: Chroot, unit: str) -> None:
    chroot.step("systemd-analyze verify", lambda: _verify(chroot, unit))
    chroot.step("systemd-analyze security", lambda: _security(chroot, unit))
    chroot.step("the service by hand", lambda: _by_hand(chroot, unit))
    chroot.step("companion doctor", lambda: _doctor(chroot))


def _clone(chroot: Chroot) -> str:
    options = ("-c", "safe.directory=*")
    where = str(chroot.tree / CLONE.lstrip("/"))
    subprocess.run(
        ["git", *options, "clone", "-q", "--no-hardlinks", str(ROOT), where],
        check=True,
    )
    told = ["git", *options, "-C", where, "log", "-1", "--format=%h %s"]
    return subprocess.run(told, check=True, capture_output=True, text=True).stdout.strip()


def _first_start(chroot: Chroot) -> str:
    said = chroot.run("./run", "--help", cwd=CLONE)
    if "usage: companion" not in said:
        raise Failed(f"it said:\n{said}")
    version = chroot.run(f"{CLONE}/.venv/bin/python", "--version").strip()
    return f"{version}, Debian {chroot.run('cat', '/etc/debian_version').strip()}"


def _page(chroot: Chroot) -> str:
    """Started on a free port, as an ordinary start; a page is fetched, and SIGTERM ends it."""
    with subprocess.Popen(
        chroot.command("./run", "run", "--port", "0", "--data", "/tmp/first", cwd=CLONE),  # noqa: S108
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as service:
        try:
            line = service.stdout.readline() if service.stdout else ""
            port = re.findall(r"ready http://[^:]+:(\d+)", line)[0]
            asked = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())"
            page = chroot.run("python3", "-c", asked, f"http://127.0.0.1:{port}/")
        finally:
            service.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                service.wait(20)
            service.kill()
    if "<html" not in page:
        raise Failed("the page is none")
    return f"{len(page)} characters"


def _tests(chroot: Chroot) -> str:
    return _last(chroot.run("./run", "test", "-q", "tests/test_uid.py", cwd=CLONE))


def _dry_run(chroot: Chroot, before: Mapping[str, str]) -> str:
    said = chroot.run("./run", "install", "--dry-run", cwd=CLONE)
    changed = list(differences(before, contents(chroot.tree)))
    if changed:
        raise Failed(f"it changed {changed}")
    return _last(said)


def _install(chroot: Chroot) -> str:
    return _last(chroot.run("./run", "install", cwd=CLONE))


def _install_again(chroot: Chroot) -> str:
    before = contents(chroot.tree)
    said = _install(chroot)
    changed = list(differences(before, contents(chroot.tree)))
    if changed:
        raise Failed(f"it said {said!r} and changed {changed}")
    return "nothing changed"


def _verify(chroot: Chroot, unit: str) -> str:
    said = chroot.run("systemd-analyze", "verify", "--man=no", unit)
    about = [line for line in said.splitlines() if "tidetable" in line]
    if about:
        raise Failed("\n".join(about))
    return "nothing to say"


def _security(chroot: Chroot, unit: str) -> str:
    said = chroot.run("systemd-analyze", "security", "--offline=yes", "--no-pager", unit)
    found = re.findall(r"Overall exposure level for \S+: ([\d.]+)", said)
    if not found:
        raise Failed(f"it said:\n{said}")
    exposure = float(found[0])
    if exposure >= EXPOSURE:
        raise Failed(f"the exposure is {exposure}, and is to be below {EXPOSURE}")
    return f"exposure {exposure}"


def _by_hand(chroot: Chroot, unit: str) -> str:
    alone = ["unshare", "--net", sys.executable, "-m", "releasing.bare.by_hand"]
    done = subprocess.run(
        [*alone, str(chroot.tree), unit],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        raise Failed((done.stdout + done.stderr).strip())
    return done.stdout.strip()


def _doctor(chroot: Chroot) -> str:
    as_user = ("setpriv", "--reuid=tidetable", "--regid=tidetable", "--init-groups")
    companion = "/opt/tidetable/venv/bin/companion"
    said = chroot.run(*as_user, companion, "doctor", "--data", DATA, "--json", fails=True)
    try:
        findings = json.loads(said[said.index("{") :])["findings"]
    except (ValueError, KeyError):
        raise Failed(f"it said:\n{said}") from None
    return ", ".join(f"{each['severity']} {each['code']}" for each in findings) or "all is well"


def _display(chroot: Chroot) -> str:
    wishes = ("--kiosk", "--access-point", "--wifi-name", WIFI, "--wifi-country", "NO")
    said = chroot.run("./run", "install", *wishes, cwd=CLONE)
    missing = [line for line in said.splitlines() if "could not be added" in line]
    if missing:
        raise Failed("\n".join(missing))
    if _wifi_settings(chroot)["password"] in said:
        raise Failed("the password of the Wi-Fi was said")
    return _last(said)


def _kiosk_user(chroot: Chroot) -> str:
    """They may run the program, and may not look at the data."""
    user = "tidetable-kiosk"
    become = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups")
    program = ("/opt/tidetable/venv/bin/companion", "kiosk", "--alone", "--browser", "none")
    said = chroot.run(*become, *program, fails=True)
    if "No browser called none" not in said:
        raise Failed(f"it said:\n{said}")
    if "denied" not in chroot.run(*become, "ls", DATA, fails=True):
        raise Failed("the user of the display may look at the data")
    return _last(said)


def _wifi(chroot: Chroot) -> str:
    """NetworkManager itself reads the file, without running: what it writes is what it understood."""
    told = f"nmcli --offline connection modify connection.id tidetable <{CONNECTION}"
    found = set(chroot.run("sh", "-c", told).splitlines())
    wifi = _wifi_settings(chroot)
    name = "".join(f"{byte};" for byte in wifi["ssid"].encode())
    asked = {f"ssid={name}", f"psk={wifi['password']}", "mode=ap", "method=shared"}
    if wifi["ssid"] != WIFI or not asked <= found:
        raise Failed(f"NetworkManager understood {sorted(found)}")
    return f"{wifi['ssid']}, as it was meant"


def _wifi_settings(chroot: Chroot) -> Mapping[str, str]:
    settings = (chroot.tree / DATA.lstrip("/") / "table.toml").read_text()
    return dict(tomllib.loads(settings)["wifi"])


def _is_enabled(chroot: Chroot) -> str:
    link = chroot.tree / "etc/systemd/system/multi-user.target.wants/tidetable.service"
    if not link.is_symlink():
        raise Failed("no link in multi-user.target.wants")
    return str(link.readlink())


def _other_python(chroot: Chroot) -> str:
    """What a release of Debian with another Python does: its environment is made anew."""
    release = chroot.run("sh", "-c", "ls /opt/tidetable/venv/lib").strip()
    chroot.run("mv", f"/opt/tidetable/venv/lib/{release}", "/opt/tidetable/venv/lib/python3.0")
    chroot.run("dpkg-trigger", "--by-package=python3-minimal", "/usr/bin/python3")
    chroot.run("dpkg", "--configure", "--pending", network=False)
    chroot.run("/opt/tidetable/venv/bin/companion", "--help")
    return release


def _packages(chroot: Chroot) -> set[str]:
    return set(chroot.run("dpkg-query", "-W", "-f=${Package}\\n").split())


def _compare(chroot: Chroot, before: Mapping[str, str], packages: set[str]) -> str:
    added = sorted(_packages(chroot) - packages)
    files = chroot.run("dpkg-query", "-L", *added).splitlines() if added else []
    changed = [path for path in differences(before, contents(chroot.tree)) if path != CLONE]
    accounts = {"/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow"}
    accounts |= {f"{path}-" for path in accounts} | {"/etc/subuid-", "/etc/subgid-"}
    explained, left = judged([path for path in changed if path not in accounts], DATA, files)
    if left:
        raise Failed("these are left:\n" + "\n".join(left))
    if not any((chroot.tree / DATA.lstrip("/")).iterdir()):
        raise Failed("the data are gone")
    said = [f"{count} in {name}" for name, count in explained.items()]
    return f"{'; '.join(said)}; packages added: {', '.join(added) or 'none'}"


def _last(said: str) -> str:
    lines = said.strip().splitlines()
    return lines[-1].strip() if lines else ""
