// Waiting for a state.

/** Longer than anything takes that needs no search or build, beside other tests on a machine of two cores. */
export const PATIENCE = 120_000;

/** Waits until `state` gives something true, and gives it back; an error says what it was waiting for. */
export async function until(what, state, { patience = PATIENCE, pause = 50 } = {}) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await state();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${patience / 1000} s for ${what}`);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}
