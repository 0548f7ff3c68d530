/** How smoothly a list of 100,000 threads scrolls: all of them in the page, in a project of their own. */
import type { Browser } from 'playwright-core';
import {
  createConsoleAccount,
  openConsole,
  type ConsoleAccount,
} from '../../test/clients/console/console-page.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import type { Endings } from '../support/endings.ts';
import { count, fixed } from '../support/table.ts';
import { quick } from '../support/turns.ts';

const threads = quick(100_000, 2_000);
/** Pixels in each frame: at the pace of a reader, and as fast as a wheel spins. */
const speeds = { reading: 40, flinging: 700 } as const;
const measuredMs = quick(10_000, 500);

interface Setting {
  readonly account: ConsoleAccount;
  readonly browser: Browser;
  readonly endings: Endings;
  readonly database: BenchDatabase;
  readonly databaseUrl: string;
}

/** Copies of a thread that the API created, each a second older. */
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
  const rows: (readonly [string, string, string])[] = [
    [
      'scrolled: threads in the list; until all were read, s',
      `${count(read.rows)}; ${fixed(read.ms / 1_000)}`,
      count(threads),
    ],
  ];
  for (const [name, step] of Object.entries(speeds)) {
    const { fps, longest, blank } = await scroll(step);
    rows.push([`${name}, ${step} px a frame: frames a second`, fixed(fps), '60']);
    rows.push([`${name}: longest frame, ms; frames without a row`, `${fixed(longest, 0)}; ${blank}`, '']);
  }
  await page.context().close();
  return rows;
}
