// Lets the board of a game of the past follow its slider. The page is complete without it.
"use strict";
(() => {
  const STEP_MS = 1200;

  const view = document.getElementById("view");
  const at = document.getElementById("at");
  const slider = document.getElementById("step");
  const play = document.getElementById("j-play");
  const last = Number(slider.max);

  let shown = Number(slider.value);
  let wanted = shown;
  let asking = false;
  let playing = 0;

  const paint = (answer) => {
    shown = answer.step;
    Idiomorph.morph(view, answer.board, { morphStyle: "innerHTML" });
    at.innerHTML = answer.at;
    const link = (id, step) => { document.getElementById(id).href = `?step=${Math.min(Math.max(step, 0), last)}`; };
    link("j-back", shown - 1);
    link("j-on", shown + 1);
    history.replaceState(null, "", `?step=${shown}`);
  };

  // One question at a time; while it is under way only the newest wish is kept.
  const ask = async () => {
    if (asking) return;
    asking = true;
    try {
      while (wanted !== shown) {
        const step = wanted;
        const response = await fetch(`?step=${step}`, { headers: { Accept: "application/json" } });
        if (!response.ok) { location.assign(`?step=${step}`); return; }
        paint(await response.json());
        if (shown !== step) break;
      }
    } catch {
      stop();
    } finally {
      asking = false;
    }
  };

  const go = (step) => {
    wanted = Math.min(Math.max(step, 0), last);
    slider.value = wanted;
    return ask();
  };

  function stop() {
    clearTimeout(playing);
    playing = 0;
    document.documentElement.classList.remove("playing");
  }

  const run = async () => {
    await go(wanted + 1);
    if (!playing) return;
    if (wanted >= last) stop();
    else playing = setTimeout(run, STEP_MS);
  };

  document.documentElement.classList.add("slides");
  play.hidden = false;
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  play.addEventListener("click", () => {
    if (playing) { stop(); return; }
    document.documentElement.classList.add("playing");
    if (wanted >= last) { wanted = -1; }
    playing = setTimeout(run, 0);
  });
  document.querySelector(".jumps").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    stop();
    go(Number(new URL(link.href).searchParams.get("step")));
  });
  document.getElementById("slide").addEventListener("submit", (event) => { event.preventDefault(); go(Number(slider.value)); });
  addEventListener("keydown", (event) => {
    if (event.target === slider || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight") go(wanted + 1);
    if (event.key === "ArrowLeft") go(wanted - 1);
  });
})();
