// Things of the virtual table can be dragged to where they go; a tap on each of both does the same.
"use strict";
(() => {
  const FAR_PX = 8;
  let drag = null;

  const padAt = (x, y) => {
    const under = document.elementFromPoint(x, y);
    if (!under) return null;
    return under.closest(".pad") || under.closest(".v-spot")?.querySelector(".pad") || null;
  };

  const end = () => {
    if (drag?.ghost) drag.ghost.remove();
    document.querySelector(".pad.aimed")?.classList.remove("aimed");
    drag = null;
  };

  document.addEventListener("pointerdown", (event) => {
    const thing = event.target.closest(".thing");
    if (!thing || event.button || drag) return;
    drag = { thing, id: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
  });

  document.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < FAR_PX) return;
      const box = drag.thing.getBoundingClientRect();
      drag.ghost = drag.thing.querySelector(".lies").cloneNode(true);
      drag.ghost.classList.add("ghost");
      drag.ghost.style.width = `${box.width}px`;
      document.body.append(drag.ghost);
    }
    drag.ghost.style.left = `${event.clientX}px`;
    drag.ghost.style.top = `${event.clientY}px`;
    document.querySelector(".pad.aimed")?.classList.remove("aimed");
    padAt(event.clientX, event.clientY)?.classList.add("aimed");
  });

  document.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const pad = drag.ghost && padAt(event.clientX, event.clientY);
    if (pad && !pad.disabled) {
      drag.thing.querySelector("input").checked = true;
      pad.form.requestSubmit(pad);
    }
    end();
  });

  document.addEventListener("pointercancel", (event) => { if (drag?.id === event.pointerId) end(); });
  document.addEventListener("dragstart", (event) => { if (event.target.closest?.(".thing")) event.preventDefault(); });

  // The slider needs no button where there is a script.
  document.addEventListener("change", (event) => {
    if (event.target.id === "v-angle") event.target.form.requestSubmit(document.getElementById("v-lean"));
  });
})();
