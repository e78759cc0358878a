"use strict";
// Nothing depends on this: a row and its line light up together, and commands can be copied.
for (const all of document.querySelectorAll("article")) {
  const light = (at, on) => {
    for (const e of all.querySelectorAll("[data-at]")) {
      if (e.dataset.at === at) e.classList.toggle("hot", on);
    }
  };
  for (const e of all.querySelectorAll("[data-at]")) {
    e.addEventListener("pointerenter", () => light(e.dataset.at, true));
    e.addEventListener("pointerleave", () => light(e.dataset.at, false));
  }
}
for (const button of document.querySelectorAll(".copy")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector(".command").textContent);
    button.textContent = "copied";
  });
}
