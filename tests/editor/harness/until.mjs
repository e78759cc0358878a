// Waiting for a state.

/** Waits until `state` gives something true, and gives it back; an error says what it was waiting for. */
export async function until(what, state, { patience = 30_000, pause = 50 } = {}) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await state();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${patience / 1000} s for ${what}`);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}
