/** What a browser asks for on its first visit until an app shows what its visitor came for. The test of the budget and the benchmark measure by it. */
import { gzipSync } from 'node:zlib';
import type { Page, Request } from 'playwright-core';

export interface FirstVisit {
  /** Names of the scripts that were asked for before the frame that showed it. */
  readonly scripts: readonly string[];
  /** Of these, by gzip. */
  readonly scriptBytes: number;
  /** From the request for the page to that frame, in milliseconds. */
  readonly shownAfterMs: number;
}

const isScript = (request: Request): boolean => new URL(request.url()).pathname.endsWith('.js');

/**
 * @param page that has loaded nothing of the app yet
 * @param shown a CSS selector of what the visitor came for
 */
export async function visitFirst(page: Page, url: string, shown: string): Promise<FirstVisit> {
  const asked: Request[] = [];
  const note = (request: Request): void => {
    if (isScript(request)) asked.push(request);
  };
  page.on('request', note);
  await page.context().addInitScript(noteFrame(shown));
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(shown).first().waitFor();
  await page.waitForFunction('globalThis.shownAt !== undefined');
  page.off('request', note);
  const [beganAt, shownAfterMs] = await page.evaluate<readonly [number, number]>(
    '[performance.timeOrigin, globalThis.shownAt]',
  );
  const sizes = await Promise.all(
    asked.map(async request => {
      const response = await request.response();
      if (request.timing().startTime >= beganAt + shownAfterMs) return undefined;
      const name = new URL(request.url()).pathname.split('/').at(-1) ?? '';
      return [name, gzipSync((await response?.body()) ?? '').length] as const;
    }),
  );
  const scripts = sizes.filter(each => each !== undefined);
  return {
    scripts: scripts.map(([name]) => name),
    scriptBytes: scripts.reduce((sum, [, bytes]) => sum + bytes, 0),
    shownAfterMs,
  };
}

/** Notes in the page when the frame is drawn that has it for the first time. */
const noteFrame = (shown: string): string => `
  new MutationObserver((_records, observer) => {
    if (document.querySelector(${JSON.stringify(shown)}) === null) return;
    observer.disconnect();
    requestAnimationFrame(() => (globalThis.shownAt = performance.now()));
  }).observe(document, { childList: true, subtree: true });
`;
