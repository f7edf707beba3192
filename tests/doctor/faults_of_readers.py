"""How a system gets the faults of smart card readers, and how it has them not."""

from __future__ import annotations

from companion.doctor.system import PcscAnswer
from companion.drivers.pcsc import results
from tests.doctor.systems import Change, FakeSystem, Pairs, all_of, usb


def pcsc(fake: FakeSystem) -> None:
    """A reader that works: the library, the service, the driver, the rule of modprobe."""
    fake.config["readers"] = ("pcsc:",)
    fake.probes.versions["smartcard.scard"] = "2.3.1"
    fake.put("usr/sbin/pcscd")
    fake.put("run/pcscd/pcscd.comm")
    fake.put("usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist")
    fake.process(301, "pcscd", "--foreground")
    acr122(fake)


def acr122(fake: FakeSystem, product: str = "ACR122U PICC Interface") -> None:
    usb(fake, "1-1.2", "072f:2200", maker="ACS", name=product)


def answers(code: int | None, *readers: str) -> Change:
    def change(fake: FakeSystem) -> None:
        fake.probes.answer = PcscAnswer(code, readers)

    return change


def without_library(fake: FakeSystem) -> None:
    del fake.probes.versions["smartcard.scard"]


def not_installed(fake: FakeSystem) -> None:
    (fake.root / "usr/sbin/pcscd").unlink()
    (fake.root / "run/pcscd/pcscd.comm").unlink()
    fake.ends(301)


def removed(fake: FakeSystem) -> None:
    """As by apt: the socket stays, which nobody serves."""
    (fake.root / "usr/sbin/pcscd").unlink()
    fake.ends(301)


def another_version(fake: FakeSystem) -> None:
    fake.probes.speaks = True


def masked(fake: FakeSystem) -> None:
    fake.says("systemctl is-enabled pcscd.socket pcscd.service", "masked\nmasked\n", status=1)


def without_driver(fake: FakeSystem) -> None:
    (fake.root / "usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist").unlink()
    (fake.root / "usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents").rmdir()
    (fake.root / "usr/lib/pcsc/drivers/ifd-ccid.bundle").rmdir()


def unplugged(fake: FakeSystem) -> None:
    for name in ("idVendor", "idProduct"):
        (fake.root / f"sys/bus/usb/devices/1-1.2/{name}").unlink()


def second_service(fake: FakeSystem) -> None:
    fake.process(302, "pcscd", "-f")


def polkit(fake: FakeSystem) -> None:
    """The service is installed where polkit watches over pcscd."""
    fake.installed()
    fake.put("usr/share/polkit-1/actions/org.debian.pcsc-lite.policy")
    fake.put("etc/polkit-1/rules.d/10-other.rules", "polkit.addRule();")


def polkit_rule(fake: FakeSystem) -> None:
    fake.put(
        "etc/polkit-1/rules.d/50-tidetable.rules",
        'if (action.id == "org.debian.pcsc-lite.access_pcsc" && subject.user == "tidetable")',
    )


def kernel_has_it(fake: FakeSystem) -> None:
    fake.link("sys/bus/usb/devices/1-1.2:1.0/driver", "../../../bus/usb/drivers/pn533_usb")


def pcscd_has_it(fake: FakeSystem) -> None:
    fake.link("sys/bus/usb/devices/1-1.2:1.0/driver", "../../../bus/usb/drivers/usbfs")
    fake.process(301, "pcscd", holds="/dev/bus/usb/001/004")


def forbidden(fake: FakeSystem, at: str = "etc/modprobe.d/any.conf") -> None:
    fake.put(at, "# the reader\nblacklist pn533_usb\ninstall pn533_usb /bin/false\n")


def forbidden_at_boot(fake: FakeSystem) -> None:
    fake.put("proc/cmdline", "console=tty1 modprobe.blacklist=pn533_usb,nfc rootwait\n")


def forbidden_in_a_comment(fake: FakeSystem) -> None:
    fake.put("etc/modprobe.d/any.conf", "# blacklist pn533_usb\n")


def poll_holds_it(fake: FakeSystem) -> None:
    fake.process(400, "nfc-something", holds="/dev/bus/usb/001/004")


def poll_runs(fake: FakeSystem) -> None:
    fake.process(401, "nfc-poll")


def libnfc_conf(text: str) -> Change:
    def change(fake: FakeSystem) -> None:
        fake.put("etc/nfc/libnfc.conf", text)

    return change


def clone(fake: FakeSystem) -> None:
    acr122(fake, "RFCARD RF1258V603")


def keyboard(name: str, ids: str = "Vendor=1a2b Product=0001", handlers: str = "kbd") -> Change:
    def change(fake: FakeSystem) -> None:
        fake.put(
            "proc/bus/input/devices",
            f'I: Bus=0003 {ids} Version=0110\nN: Name="{name}"\nH: Handlers=sysrq {handlers} event3\n',
        )

    return change


AWAY = answers(results.NO_SERVICE)
DENIED = answers(results.SECURITY_VIOLATION)
EMPTY = answers(0)

SMART_CARDS: Pairs = {
    "pyscard-missing": [(all_of(pcsc, without_library), pcsc)],
    "kernel-has-reader": [
        (all_of(pcsc, kernel_has_it), all_of(pcsc, pcscd_has_it, forbidden)),
        (all_of(pcsc, kernel_has_it, forbidden), all_of(pcsc, forbidden)),
    ],
    "kernel-may-take-reader": [
        (pcsc, all_of(pcsc, forbidden)),
        (all_of(pcsc, forbidden_in_a_comment), all_of(pcsc, forbidden_at_boot)),
        (pcsc, all_of(pcsc, unplugged)),
    ],
    "pcscd-missing": [
        (all_of(pcsc, not_installed, AWAY), pcsc),
        (all_of(pcsc, removed, AWAY), pcsc),
    ],
    "pcscd-other-version": [
        (all_of(pcsc, another_version, AWAY), all_of(pcsc, another_version)),
        (all_of(pcsc, another_version, not_installed, AWAY), pcsc),
    ],
    "pcscd-stopped": [
        (all_of(pcsc, AWAY), pcsc),
        (all_of(pcsc, answers(results.SERVICE_STOPPED)), pcsc),
        (all_of(pcsc, masked, AWAY), pcsc),
    ],
    "pcscd-hangs": [(all_of(pcsc, answers(results.TIMEOUT)), pcsc)],
    "pcscd-denies": [
        (all_of(pcsc, DENIED), pcsc),
        (all_of(pcsc, answers(results.NO_ACCESS)), pcsc),
    ],
    "pcscd-rule-missing": [(all_of(pcsc, polkit), all_of(pcsc, polkit, polkit_rule))],
    "pcscd-twice": [(all_of(pcsc, second_service), pcsc)],
    "reader-held": [(all_of(pcsc, poll_holds_it), all_of(pcsc, pcscd_has_it))],
    "libnfc-beside": [(all_of(pcsc, poll_runs), pcsc)],
    "libnfc-configured": [
        (
            all_of(pcsc, libnfc_conf('device.connstring = "acr122_usb:001:004"\n')),
            all_of(
                pcsc, libnfc_conf('#device.connstring = "acr122_usb:"\nallow_autoscan = true\n')
            ),
        )
    ],
    "ccid-missing": [(all_of(pcsc, without_driver, EMPTY), pcsc)],
    "reader-not-taken": [(all_of(pcsc, EMPTY), pcsc)],
    "no-reader": [(all_of(pcsc, unplugged, EMPTY), pcsc)],
    "reader-not-meant": [
        (all_of(pcsc, answers(0, "ACS ACR1281 1S Dual Reader 00 00")), pcsc),
        (
            all_of(pcsc, lambda fake: fake.config.update(readers=("pcsc:OMNIKEY",))),
            all_of(pcsc, lambda fake: fake.config.update(readers=("pcsc:a reader",))),
        ),
    ],
    "reader-clone": [(all_of(pcsc, clone), pcsc)],
    "typing-reader": [
        (keyboard("Sycreader RFID Technology Co., Ltd"), keyboard("Logitech USB Keyboard")),
        (
            keyboard("HID 0035", "Vendor=ffff Product=0035"),
            keyboard("RFID Scanner", handlers="mouse0"),
        ),
    ],
}
