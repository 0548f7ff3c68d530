/** What is measured within the page. Plain JavaScript, since it runs there before anything else of the page. */
export const probe = `
  const probe = { longestTask: 0, shift: 0, frames: 0, shown: {}, shownInThread: {}, settle: undefined, clickedAt: 0 };
  window.probe = probe;

  new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) probe.longestTask = Math.max(probe.longestTask, duration);
  }).observe({ type: 'longtask' });

  new PerformanceObserver(list => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const isInList = sources.some(({ node }) => node?.parentElement?.closest('[role=listbox]'));
      if (!hadRecentInput && isInList) probe.shift += value;
    }
  }).observe({ type: 'layout-shift' });

  // When each message-<number> was in the page for the first time: in the frame that draws it.
  function lookForMessages() {
    lookIn('[role=option] bdi:not([title])', probe.shown);
    lookIn('[role=log] [data-message] [dir=auto]', probe.shownInThread);
  }

  function lookIn(places, shown) {
    for (const { textContent } of document.querySelectorAll(places)) {
      const number = /^message-(\\d+)$/.exec(textContent)?.[1];
      if (number !== undefined) shown[number] ??= Date.now();
    }
  }

  function lookForThread() {
    const { wanted, settle } = probe.switching ?? {};
    if (settle === undefined || !document.querySelector('[role=log]')?.textContent.includes(wanted)) return;
    probe.switching = undefined;
    settle(performance.now() - probe.clickedAt);
  }

  /** Milliseconds from the next click to the frame that shows the text in the messages. */
  probe.switchTo = wanted => new Promise(settle => (probe.switching = { wanted, settle }));
  addEventListener('click', () => (probe.clickedAt = performance.now()), true);

  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      probe.frames += 1;
      lookForMessages();
      lookForThread();
    });
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;
