/** How smoothly a list of 100,000 threads scrolls: all of them in the page, in a project of their own. */
import type { Browser, Page } from 'playwright-core';
import {
  createConsoleAccount,
  openConsole,
  type ConsoleAccount,
} from '../../test/clients/console/console-page.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import type { Endings } from '../support/endings.ts';
import { count, fixed } from '../support/table.ts';

const threads = 100_000;
/** Pixels in each frame: as somebody reads, and as fast as a wheel spins. */
const speeds = { reading: 40, flinging: 700 } as const;
const measuredMs = 10_000;

interface Setting {
  readonly account: ConsoleAccount;
  readonly browser: Browser;
  readonly endings: Endings;
  readonly database: BenchDatabase;
  readonly databaseUrl: string;
}

/** Copies of a thread that the API has made, each a second older, with the participants' names. */
const copies = `
  insert into threads
  select (jsonb_populate_record(t, jsonb_build_object(
    'thread_id', 'thread_' || lpad(n::text, 26, '0'), 'external_ref', 'copy ' || n,
    'last_message_at', t.last_message_at - n * interval '1 second', 'active_second', t.active_second - n,
    'created_at', t.created_at - n * interval '1 second'))).*
  from threads t, generate_series(1, $2::int) n where t.thread_id = $1`;

/** Plain JavaScript, since it runs in the page. */
const driver = `
  const scroller = document.querySelector('[role=listbox]');
  const nextFrame = () => new Promise(requestAnimationFrame);

  /** Reads on until there are no more pages. */
  async function readAll() {
    const start = performance.now();
    while (document.querySelector('[role=option][aria-setsize="-1"]') !== null) {
      scroller.scrollTop = scroller.scrollHeight;
      await nextFrame();
    }
    return { rows: Number(document.querySelector('[role=option]').getAttribute('aria-setsize')), ms: performance.now() - start };
  }

  /** Scrolls so far in each frame, and back from the end. */
  async function scroll(step, forMs) {
    scroller.scrollTop = 0;
    let before = await nextFrame();
    const start = before;
    const gaps = [];
    let direction = 1;
    let blank = 0;
    while (before - start < forMs) {
      const top = scroller.scrollTop;
      if (top + scroller.clientHeight >= scroller.scrollHeight - 1) direction = -1;
      else if (top <= 0) direction = 1;
      scroller.scrollTop = top + direction * step;
      const now = await nextFrame();
      gaps.push(now - before);
      before = now;
      const { left, top: y, width, height } = scroller.getBoundingClientRect();
      if (document.elementFromPoint(left + width / 2, y + height / 2)?.closest('[role=option]') === null) blank++;
    }
    return { fps: (gaps.length * 1000) / (before - start), longest: Math.max(...gaps), blank };
  }
  globalThis.scrolling = { readAll, scroll };
`;

interface Scrolled {
  readonly fps: number;
  readonly longest: number;
  /** Frames in whose middle there was no row. */
  readonly blank: number;
}

export async function measureScrolling(setting: Setting): Promise<(readonly [string, string, string])[]> {
  const { browser, endings, database, databaseUrl } = setting;
  const account = await createConsoleAccount(setting.account.baseUrl);
  const { threadId } = await account.skein.channels.receive(account.channelId, {
    externalParticipantRef: 'first',
    body: 'Hello, where is my order? It should have come on Friday.',
    participant: { displayName: 'Ada Byron' },
  });
  await database.query(databaseUrl, copies, [threadId, threads - 1]);
  await database.query(databaseUrl, 'analyze threads', []);
  const page = await openConsole(endings, browser, account, account.owner);
  await page.getByRole('option').first().waitFor();
  await page.evaluate(driver);
  const read = await page.evaluate<{ rows: number; ms: number }>('scrolling.readAll()');
  const scroll = (step: number): Promise<Scrolled> =>
    page.evaluate(`scrolling.scroll(${step}, ${measuredMs})`);
  const rows = [
    [
      'scrolled: threads in the list; until all were read, s',
      `${count(read.rows)}; ${fixed(read.ms / 1_000)}`,
      '100,000',
    ] as const,
  ];
  const results = [];
  for (const [name, step] of Object.entries(speeds)) {
    const { fps, longest, blank } = await scroll(step);
    results.push(
      [`${name}, ${step} px a frame: frames a second`, fixed(fps), '60'] as const,
      [`${name}: longest frame, ms; frames without a row`, `${fixed(longest, 0)}; ${blank}`, ''] as const,
    );
  }
  await closePage(page);
  return [...rows, ...results];
}

const closePage = (page: Page): Promise<void> => page.context().close();
