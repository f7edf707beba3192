"""Two thousand taps and scans without any sense: nothing breaks, and the record stays whole."""

from __future__ import annotations

import subprocess
from random import Random

import pytest
from playwright.sync_api import Error

from tests.support.service import TOKEN, command, serving

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.timeout(600)]

TAPS = 2000
LONGEST_WALK = 25
"""After so many taps a page is opened anew, so that the monkey does not get lost in one corner."""

STARTS = {
    "tv": ("/",),
    "helper": ("/", "/virtual", "/cards", "/correct", "/setup", "/settings", "/people", "/history"),
    "seat": ("/play", "/play", "/correct", "/join"),
}

TAP = """chance => {
  const all = [...document.querySelectorAll('a, button, summary, input, select')].filter(
    (node) => node.checkVisibility() && !node.disabled && node.type !== 'file' && !node.hasAttribute('download'));
  if (!all.length) return 'nothing';
  const node = all[Math.floor(chance * all.length)];
  if (node.localName === 'input' && ['text', 'number', ''].includes(node.type)) {
    node.value = chance < 0.5 ? '' : `x${Math.floor(chance * 1e6)}`;
    return 'typed';
  }
  if (node.localName === 'a' && new URL(node.href).origin !== location.origin) return 'elsewhere';
  node.click();
  return node.id || node.localName;
}"""
FACES = ("dots", "rings-eyes", "waves-tentacle", "octopus")


class Monkey:
    """Its hands on one device."""

    def __init__(self, context, url, starts):
        self.page = context.new_page()
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("response", self._answered)
        self._url, self._starts = url, starts
        self._taps = 0

    def _answered(self, response):
        if response.status >= 500:
            self.faults.append(f"{response.status} {response.url}")

    def tap(self, chance):
        if self._taps % LONGEST_WALK == 0:
            self._try(lambda: self.page.goto(self._url + chance.choice(self._starts)))
        self._taps += 1
        self._try(lambda: self.page.evaluate(TAP, chance.random()))
        self._try(lambda: self.page.wait_for_load_state("domcontentloaded"))

    def _try(self, act):
        """A tap that leads to another page leaves, or overtakes, the one that it was made on."""
        try:
            act()
        except Error as error:
            if "context was destroyed" not in error.message and "avigat" not in error.message:
                raise


def scan(service, chance):
    """A program's action, often one that is not possible."""
    body = chance.choice(
        [
            {"do": "reveal", "card": chance.choice(FACES)},
            {"do": "stop"},
            {"do": "draw"},
            {"undo": 1},
            {"do": "reef", "stack": 0, "animal": "crab"},
            {"do": "nonsense"},
        ]
    )
    status, _ = service.post(body)
    assert status < 500


def test_a_monkey_breaks_nothing(tmp_path, browser):
    chance = Random(20)
    with serving(tmp_path, "--reader", "sim:", "--players", "Ann,Bo,Cy") as service:
        contexts = {name: browser.new_context(reduced_motion="reduce") for name in STARTS}
        for context in contexts.values():
            context.set_default_timeout(30_000)
        helper = contexts["helper"].new_page()
        helper.goto(f"{service.url}/link/{TOKEN}")
        helper.goto(f"{service.url}/settings")
        code = helper.locator("#join-code").inner_text()
        form = {"code": code, "seat": "Bo"}
        contexts["seat"].request.post(f"{service.url}/join", form=form)
        monkeys = [Monkey(contexts[name], service.url, starts) for name, starts in STARTS.items()]
        for _ in range(TAPS):
            if chance.random() < 0.15:
                scan(service, chance)
            else:
                chance.choice(monkeys).tap(chance)
        assert [fault for monkey in monkeys for fault in monkey.faults] == []
        tv = monkeys[0].page
        tv.goto(service.url)
        shown = tv.locator("[data-version]").first.get_attribute("data-version")
        table = service.get()
        assert shown == f"{table['epoch']}.{table['revision']}"
        for context in contexts.values():
            context.close()
        assert service.stop() == 0
    done = subprocess.run(
        command("verify", "--data", str(tmp_path)), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
