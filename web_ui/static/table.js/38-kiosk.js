// A display at the table's own computer, opened as /?kiosk by `companion kiosk`: it sounds, stays
// lit, and shows no pointer that rests.
(() => {
  const STILL_MS = 3000;
  const root = document.documentElement;
  if (!new URLSearchParams(location.search).has("kiosk")) return;
  root.classList.add("kiosk");
  try { localStorage.getItem("sounds") ?? localStorage.setItem("sounds", "on"); } catch { /* private mode */ }

  let still = 0;
  document.addEventListener("pointermove", (event) => {
    root.classList.toggle("pointing", event.pointerType === "mouse");
    clearTimeout(still);
    still = setTimeout(() => root.classList.remove("pointing"), STILL_MS);
  });

  // It is this computer's own address, so the browser allows it. It ends when the page is hidden.
  const stayLit = () => {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", stayLit);
  stayLit();
})();
