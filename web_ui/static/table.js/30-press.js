// Buttons that are to be held, taps that were meant for what stood there before, and what only
// its owner may see while it is held.
(() => {
  const HOLD_MS = 1000;
  const LOOK_MS = 20000;
  const AGAIN_MS = 450; // taps at one spot that follow each other faster are one
  const SPOT = 40; // in CSS pixels, what an impatient finger misses itself by
  const root = document.documentElement;
  const view = document.getElementById("view");
  root.classList.add("scripted");

  let holding = null;
  let pressed = null; // the button under the finger, and what it said then
  let look = 0;
  let last = { at: -Infinity, x: 0, y: 0 }; // where and when a finger came down
  let again = false; // it was there just before

  // Phones do not count taps (`detail` is 1 for each), and after the first one another button may
  // stand at the same place. Who moves things on a virtual table may be as quick as the hand.
  const touched = (event) => {
    const { timeStamp: at, clientX: x, clientY: y } = event;
    again = view.dataset.page !== "virtual" && at - last.at < AGAIN_MS && Math.hypot(x - last.x, y - last.y) < SPOT;
    last = { at, x, y };
  };

  const letGo = () => {
    if (!holding) return;
    clearTimeout(holding.timer);
    holding.button.classList.remove("holding");
    holding = null;
  };

  const hold = (button) => {
    letGo();
    const value = button.value;
    button.classList.add("holding");
    const timer = setTimeout(() => {
      letGo();
      // Meanwhile another view may have come: only what was pressed is sent.
      if (button.isConnected && !button.disabled && button.value === value) button.form.requestSubmit(button);
    }, HOLD_MS);
    holding = { button, timer };
  };

  const cover = () => {
    clearTimeout(look);
    root.classList.remove("looking");
  };

  const uncover = () => {
    clearTimeout(look);
    root.classList.add("looking");
    look = setTimeout(cover, LOOK_MS);
  };

  const found = (event, selector) => event.target instanceof Element ? event.target.closest(selector) : null;

  document.addEventListener("pointerdown", (event) => {
    touched(event);
    const button = found(event, "button");
    if (!button || button.disabled || event.button) return;
    pressed = { button, value: button.value };
    if ("hold" in button.dataset) hold(button);
    if (button.classList.contains("peek")) { button.setPointerCapture?.(event.pointerId); uncover(); }
  });
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, (event) => {
    letGo();
    if (found(event, ".peek")) cover();
  });
  document.addEventListener("pointerout", (event) => { if (holding && event.target === holding.button) letGo(); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    const button = found(event, "[data-hold], .peek");
    if (!button) return;
    event.preventDefault();
    if (event.repeat || button.disabled) return;
    if (button.classList.contains("peek")) uncover();
    else hold(button);
  });
  document.addEventListener("keyup", () => { letGo(); cover(); });
  document.addEventListener("contextmenu", (event) => { if (found(event, "[data-hold], .secret")) event.preventDefault(); });

  view.addEventListener("click", (event) => {
    const button = found(event, "button");
    if (!button) return;
    const other = pressed && pressed.button === button && pressed.value !== button.value;
    pressed = null;
    // A double tap counts once, and so does one that began on what stood there before.
    // A press without finger or key comes from a tool that helps people: it cannot hold.
    if (other || (event.detail && again) || event.detail > 1 || ("hold" in button.dataset && event.detail)) event.preventDefault();
  }, true);

  let turn = document.getElementById("board").dataset.turn;
  document.addEventListener("shown", () => {
    const now = document.getElementById("board").dataset.turn;
    if (turn !== now) cover();
    turn = now;
    if (holding && !holding.button.isConnected) letGo();
  });
  document.addEventListener("visibilitychange", () => { letGo(); cover(); });
  addEventListener("blur", () => { letGo(); cover(); });
  addEventListener("pagehide", cover);
})();
