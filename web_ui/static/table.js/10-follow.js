// Keeps a page alive: opens the event stream, puts the newest view in place, sends forms.
// The page is complete without it; nothing here knows a game.
"use strict";
(() => {
  const HEARTBEAT_MS = 5000;
  const BAR_AFTER_MS = 2500;
  const FIRST_RETRY_MS = 250;
  const LONGEST_RETRY_MS = 2000;
  const EVICTED_RETRY_MS = 15000;
  const SAID_MS = 8000;

  const root = document.documentElement;
  const view = document.getElementById("view");
  const bar = document.getElementById("offline");
  const age = document.getElementById("age");
  const said = document.getElementById("said");
  const page = view.dataset.page;

  let source = null;
  let retry = 0;
  let retryMs = FIRST_RETRY_MS;
  let lastSeen = performance.now(); // when the table last gave a sign of life
  let lostSince = 0; // 0 while the view is fresh
  let waiting = null; // the newest view that is not shown yet
  let painting = 0;
  let sending = 0;
  let quiet = 0;
  let asleep = false; // it was hidden, and what it shows may be old

  const shown = () => document.getElementById("board").dataset.version;

  const isOlder = (id, than) => {
    const [epoch, revision] = [id.slice(0, id.lastIndexOf(".")), id.slice(id.lastIndexOf(".") + 1)];
    const cut = than.lastIndexOf(".");
    return epoch === than.slice(0, cut) && Number(revision) < Number(than.slice(cut + 1));
  };

  const lockButtons = () => {
    const locked = root.classList.contains("stale") || asleep || sending > 0;
    for (const button of view.querySelectorAll("button")) {
      if (locked) {
        if (!button.disabled) { button.disabled = true; button.dataset.locked = ""; }
      } else if ("locked" in button.dataset) {
        button.disabled = false;
        delete button.dataset.locked;
      }
    }
  };

  // A tile that lies face down from now on is seen for a moment longer, as on the table.
  const linger = (node) => {
    if (!node.dataset?.linger || node.classList.contains("leaving")) return true;
    node.classList.add("leaving");
    setTimeout(() => node.remove(), Number(node.dataset.linger));
    return false;
  };

  const paint = () => {
    painting = 0;
    const next = waiting;
    waiting = null;
    if (next === null || isOlder(next.id, shown())) return;
    Idiomorph.morph(view, next.html, {
      morphStyle: "innerHTML",
      callbacks: {
        beforeNodeRemoved: linger,
        // What a person opened or closed stays so.
        beforeAttributeUpdated: (name, node) => !(name === "open" && node.localName === "details"),
      },
    });
    lockButtons();
    document.dispatchEvent(new Event("shown"));
  };

  const show = (id, html) => {
    if (waiting !== null && isOlder(id, waiting.id)) return;
    waiting = { id, html };
    // Several views at once: only the newest is worth painting.
    if (!painting) painting = document.hidden ? setTimeout(paint, 0) : requestAnimationFrame(paint);
  };

  const alive = () => { lastSeen = performance.now(); };

  const fresh = () => {
    alive();
    retryMs = FIRST_RETRY_MS;
    lostSince = 0;
    asleep = false;
    bar.hidden = true;
    root.classList.remove("stale");
    lockButtons();
  };

  const lost = () => { if (!lostSince) lostSince = performance.now(); };

  const close = () => {
    clearTimeout(retry);
    retry = 0;
    if (source) source.close();
    source = null;
  };

  const later = (delayMs) => {
    close();
    retry = setTimeout(open, delayMs);
  };

  const otherVersion = (version) => {
    if (version === root.dataset.assets) return;
    // Load again once for each version, never in circles.
    let tried = "";
    try { tried = sessionStorage.getItem("version"); sessionStorage.setItem("version", version); } catch { /* private mode */ }
    if (tried !== version) location.reload();
  };

  function open() {
    close();
    if (document.hidden) return;
    source = new EventSource(`/stream?page=${page}&topic=${encodeURIComponent(view.dataset.topic)}&seen=${encodeURIComponent(shown())}`);
    const mine = source;
    const on = (name, act) => mine.addEventListener(name, (event) => { if (mine === source) act(event); });
    on("hello", (event) => { alive(); otherVersion(event.data); });
    on("view", (event) => { show(event.lastEventId, event.data); fresh(); });
    on("same", fresh);
    on("heartbeat", alive);
    on("evicted", () => { lost(); later(EVICTED_RETRY_MS); });
    on("error", () => {
      lost();
      later(retryMs * (0.75 + Math.random() / 2));
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    });
  }

  const reopen = () => {
    if (document.hidden) { asleep = true; lockButtons(); close(); return; }
    // While hidden nothing was heard, and that is no loss of the connection.
    alive();
    lostSince = 0;
    retryMs = FIRST_RETRY_MS;
    open();
  };

  const watch = () => {
    if (document.hidden) return;
    const now = performance.now();
    if (source && now - lastSeen > 2 * HEARTBEAT_MS + 500) {
      // A dead Wi-Fi gives no error: silence is the only sign.
      lostSince = lostSince || lastSeen;
      lastSeen = now;
      open();
    }
    if (lostSince && now - lostSince > BAR_AFTER_MS) {
      age.textContent = Math.round((now - lostSince) / 1000);
      bar.hidden = false;
      root.classList.add("stale");
      lockButtons();
    }
  };

  const tell = (sentence) => {
    clearTimeout(quiet);
    said.textContent = sentence;
    said.hidden = false;
    quiet = setTimeout(() => { said.hidden = true; }, SAID_MS);
  };

  const send = async (form, button) => {
    const body = new URLSearchParams(new FormData(form, button));
    sending += 1;
    lockButtons();
    try {
      const response = await fetch(button?.getAttribute("formaction") || form.getAttribute("action"), {
        method: "POST", body, headers: { Accept: "application/json" },
      });
      const answer = await response.json();
      if (answer.go) location.assign(answer.go);
      if (answer.view) show(answer.id, answer.view);
      if (answer.error) tell(answer.error.message);
      else said.hidden = true;
    } catch {
      tell(document.getElementById("unsent").content.textContent);
    } finally {
      sending -= 1;
      lockButtons();
    }
  };

  document.addEventListener("submit", (event) => {
    if ("plain" in event.target.dataset) return; // its answer is another page
    event.preventDefault();
    if (!sending) send(event.target, event.submitter);
  });
  document.addEventListener("visibilitychange", reopen);
  addEventListener("pageshow", (event) => { if (event.persisted) reopen(); });
  addEventListener("online", reopen);
  addEventListener("pagehide", close);
  setInterval(watch, 500);
  open();
})();
