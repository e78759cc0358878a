// Clicks and keys that may be lost.

/** Clicks, until this sign is gone. Lists are made anew when more of them is known, and a click on an entry that
 * goes at that moment is lost. */
export async function clickUntilGone(entry, sign) {
  for (let clicks = 1; clicks < 10; clicks++) {
    await entry.click();
    const gone = sign.waitFor({ state: "hidden", timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    if (await gone) return;
  }
  await sign.waitFor({ state: "hidden" });
}

/** Presses a key, until this sign is shown. A view that takes the focus at that moment closes what the key opened. */
export async function pressUntilShown(page, key, sign) {
  for (let tries = 1; tries < 10; tries++) {
    await page.keyboard.press(key);
    const shown = sign.waitFor({ state: "visible", timeout: 5_000 }).then(
      () => true,
      () => false,
    );
    if (await shown) return;
  }
  await sign.waitFor({ state: "visible" });
}
