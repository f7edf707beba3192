// What is heard and felt. The server says which sound, and the page shows its caption.
(() => {
  const QUIET_MS = 400; // so much between two flashes at least: no more than 3 in a second
  const root = document.documentElement;
  // Each tone: start in s, length in s, pitch in Hz at the start and the end, shape, loudness.
  const BUBBLE = (at, low) => [at, 0.11, low, low * 2.1, "sine", 0.3];
  const SOUNDS = {
    accepted: [[0, 0.09, 660, 660, "sine", 0.25], [0.08, 0.14, 880, 880, "sine", 0.25]],
    refused: [[0, 0.16, 196, 180, "triangle", 0.4], [0.17, 0.22, 147, 131, "triangle", 0.4]],
    "your-turn": [[0, 0.14, 523, 523, "sine", 0.3], [0.14, 0.14, 659, 659, "sine", 0.3], [0.28, 0.3, 784, 784, "sine", 0.3]],
    alarm: [0, 0.36, 0.72].flatMap((at) => [[at, 0.18, 740, 740, "square", 0.14], [at + 0.18, 0.18, 554, 554, "square", 0.14]]),
    win: [523, 659, 784, 1047].map((pitch, place) => [place * 0.13, place === 3 ? 0.5 : 0.16, pitch, pitch, "triangle", 0.3]),
    bubbles: [BUBBLE(0, 240), BUBBLE(0.13, 310), BUBBLE(0.24, 200), BUBBLE(0.42, 340)],
    tick: [[0, 0.05, 1200, 1200, "sine", 0.2]],
    buzz: [[0, 0.3, 110, 100, "sawtooth", 0.15]],
  };
  SOUNDS.fanfare = SOUNDS.win;

  let speaker = null;
  let wanted = false;
  try { wanted = localStorage.getItem("sounds") === "on"; } catch { /* private mode */ }

  const play = (name) => {
    if (!wanted || speaker?.state !== "running" || !(name in SOUNDS)) return;
    for (const [at, length, from, to, shape, loud] of SOUNDS[name]) {
      const start = speaker.currentTime + at;
      const tone = new OscillatorNode(speaker, { type: shape, frequency: from });
      const level = new GainNode(speaker, { gain: 0 });
      tone.frequency.exponentialRampToValueAtTime(to, start + length);
      level.gain.setValueAtTime(0.0001, start);
      level.gain.exponentialRampToValueAtTime(loud, start + 0.015);
      level.gain.exponentialRampToValueAtTime(0.0001, start + length);
      tone.connect(level).connect(speaker.destination);
      tone.start(start);
      tone.stop(start + length + 0.02);
    }
    root.dataset.played = name;
  };

  const mark = () => {
    root.classList.toggle("sounds", wanted);
    for (const button of document.querySelectorAll(".sound")) button.setAttribute("aria-pressed", wanted);
  };

  // A browser lets a page sound only after a tap.
  const wake = () => {
    if (!wanted || !globalThis.AudioContext) return;
    speaker ??= new AudioContext();
    if (speaker.state === "suspended") speaker.resume();
  };

  document.addEventListener("pointerdown", wake);
  document.addEventListener("keydown", wake);
  document.addEventListener("click", async (event) => {
    if (!(event.target instanceof Element && event.target.closest(".sound"))) return;
    wanted = !wanted;
    try { localStorage.setItem("sounds", wanted ? "on" : "off"); } catch { /* private mode */ }
    mark();
    wake();
    await speaker?.resume();
    play("accepted");
  });

  const heard = new Map();
  let turn = null;
  let flashed = 0;
  const look = () => {
    mark();
    const board = document.getElementById("board");
    const flash = board.querySelector(".flash")?.id;
    if (flash && heard.get("flash") !== flash) {
      const now = performance.now();
      root.classList.toggle("calm", now - flashed < QUIET_MS);
      if (now - flashed >= QUIET_MS) flashed = now;
      heard.set("flash", flash);
    }
    const mine = board.dataset.turn === "yours";
    const begins = turn === false && mine;
    turn = mine;
    for (const cue of document.querySelectorAll("[data-cue]")) {
      const before = heard.get(cue.id);
      heard.set(cue.id, cue.dataset.cue);
      // What is there when the page opens was heard by whoever was here.
      if (before === undefined || before === cue.dataset.cue) continue;
      if (!(begins && cue.id === "cue")) play(cue.dataset.sound);
    }
    if (begins) {
      play("your-turn");
      navigator.vibrate?.([90, 60, 140]);
    }
  };
  document.addEventListener("shown", () => {
    const to = document.getElementById("board").dataset.go;
    if (to) location.assign(to);
    else look();
  });
  look();
  // A display with nobody to tap: companion kiosk lets its browser sound without one.
  if (root.classList.contains("kiosk")) wake();
})();
