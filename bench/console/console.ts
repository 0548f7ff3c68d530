/**
 * The Console in a real browser, beside the node and the load on the same machine: the first visit, how soon a message is shown, what a flood
 * of events does to the page, how fast threads are switched, and how smoothly a long list scrolls.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import {
  type ConsoleAccount,
  createConsoleAccount,
  openConsole,
} from '../../test/clients/console/console-page.ts';
import { visitFirst } from '../../test/clients/first-visit.ts';
import { startChromium } from '../../test/support/chromium.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import type { Endings } from '../support/endings.ts';
import { tryLoad } from '../support/load.ts';
import { startSkein } from '../support/skein.ts';
import { count, fixed, median, quantile, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';

const visits = quick(5, 1);
const timedMessages = quick(1_500, 50);
const messagesPerSecond = 50;
const flood = { perSecond: 500, seconds: quick(60, 2), threads: 200, connections: 20 };
const switched = { threads: 30, messages: 50, inView: 10, rounds: quick(5, 1) };

interface Setting {
  readonly account: ConsoleAccount;
  readonly browser: Browser;
  readonly endings: Endings;
}

/** What was measured, its value, and the target. */
type Row = readonly [what: string, measured: string, target: string];

/** A page with the probe, at the list. */
async function openList(
  { account, browser, endings }: Setting,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openConsole(endings, browser, account, account.owner, {
    ...options,
    path: '/console/settings',
  });
  await page.context().addInitScript(probe);
  await goToList(page, account);
  return page;
}

const toListUrl = ({ baseUrl, projectId, environmentId }: ConsoleAccount): string =>
  `${baseUrl}/console/${projectId}/${environmentId}/all`;

async function goToList(page: Page, account: ConsoleAccount): Promise<void> {
  await page.goto(toListUrl(account), { waitUntil: 'commit' });
  await page.getByRole('option').first().waitFor();
}

/** The same text for each thread, to be told from the others'. */
const lastText = (thread: number): string => `the last of ${thread}.`;

/** Threads with a page of messages each. */
async function fill({ account }: Setting): Promise<void> {
  const { skein, channelId } = account;
  await Promise.all(
    Array.from({ length: switched.threads }, async (_, thread) => {
      for (let index = 1; index <= switched.messages; index++) {
        const body =
          index === switched.messages
            ? lastText(thread)
            : `${index}: where is my order? `.repeat(1 + (index % 7));
        await skein.channels.receive(channelId, {
          externalParticipantRef: `p${thread}`,
          body,
          participant: { displayName: `Participant ${thread}` },
        });
      }
    }),
  );
}

async function measureVisits(setting: Setting): Promise<readonly Row[]> {
  const { account, browser, endings } = setting;
  const tookMs: number[] = [];
  for (let visit = 0; visit <= visits; visit++) {
    const page = await openConsole(endings, browser, account, account.owner, { path: '/healthz' });
    const { shownAfterMs } = await visitFirst(page, toListUrl(account), '[role=option]');
    // The first one warms the server.
    if (visit > 0) tookMs.push(shownAfterMs);
    await page.context().close();
  }
  return [[`first visit: until the list shows, median of ${visits}, ms`, fixed(median(tookMs), 0), '1,500']];
}

async function measureSwitches(setting: Setting): Promise<readonly Row[]> {
  const page = await openList(setting);
  const names = await page.getByRole('option').locator('bdi[title]').allTextContents();
  const threads = names.slice(0, switched.inView).map(name => Number(name.split(' ')[1]));
  const measure = async (): Promise<number[]> => {
    const took: number[] = [];
    for (const [place, thread] of threads.entries()) {
      const shown = page.evaluate<number>(`probe.switchTo(${JSON.stringify(lastText(thread))})`);
      await page.getByRole('option').nth(place).click();
      took.push(await shown);
    }
    return took;
  };
  const first = await measure();
  const again: number[] = [];
  for (let round = 0; round < switched.rounds; round++) again.push(...(await measure()));
  await page.context().close();
  return [
    [`thread shown for the first time, p95 of ${first.length}, ms`, fixed(quantile(first, 0.95), 0), '400'],
    [`thread shown from the cache, p95 of ${again.length}, ms`, fixed(quantile(again, 0.95), 0), '100'],
  ];
}

/** When each message was seen, by its number: in a row of the list, and in the thread that is open. */
interface Shown {
  readonly shown: Readonly<Record<string, number>>;
  readonly shownInThread: Readonly<Record<string, number>>;
}

/** Opens the first thread of the list, which stays open while the others move past it. */
async function openFirst(page: Page): Promise<void> {
  await page.getByText('Online').waitFor();
  await page.getByRole('option').first().click();
  await page.getByRole('log').getByRole('article').first().waitFor();
  // Rows do not move under the pointer.
  await page.mouse.move(900, 300);
}

async function measureShowing(setting: Setting): Promise<readonly Row[]> {
  const { skein, channelId } = setting.account;
  const page = await openList(setting);
  await openFirst(page);
  const sentAt: number[] = [];
  const answers: Promise<unknown>[] = [];
  const start = performance.now();
  for (let number = 0; number < timedMessages; number++) {
    await pause(Math.max(0, start + (number * 1_000) / messagesPerSecond - performance.now()));
    sentAt.push(Date.now());
    const externalParticipantRef = `p${number % switched.threads}`;
    answers.push(skein.channels.receive(channelId, { externalParticipantRef, body: `message-${number}` }));
  }
  await Promise.all(answers);
  await page
    .getByText(`message-${timedMessages - 1}`)
    .first()
    .waitFor();
  const { shown, shownInThread } = await page.evaluate<Shown>(
    '({ shown: probe.shown, shownInThread: probe.shownInThread })',
  );
  await page.context().close();
  const measure = (times: Shown['shown']): number[] =>
    sentAt.flatMap((at, number) => {
      const then = times[number];
      return then === undefined ? [] : [then - at];
    });
  const took = measure(shown);
  const tookInThread = measure(shownInThread);
  return [
    [`shown: messages of ${count(timedMessages)}, ${messagesPerSecond} a second`, count(took.length), ''],
    ['from the request to the frame that shows it, p50, ms', fixed(quantile(took, 0.5), 0), ''],
    ['from the request to the frame that shows it, p99, ms', fixed(quantile(took, 0.99), 0), '150'],
    [
      `the same in the open thread, ${tookInThread.length} messages: p50; p99, ms`,
      `${fixed(quantile(tookInThread, 0.5), 0)}; ${fixed(quantile(tookInThread, 0.99), 0)}`,
      '; 150',
    ],
  ];
}

/** Of the page's heap, after a forced collection. */
async function measureHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

async function measureFlood(setting: Setting): Promise<readonly Row[]> {
  const { baseUrl, apiKey, channelId, projectId } = setting.account;
  const page = await openList(setting);
  await openFirst(page);
  const before = await measureHeap(page);
  await page.evaluate('Object.assign(probe, { longestTask: 0, shift: 0, frames: 0 })');
  const { succeeded, startedAt, endedAt, errors } = await tryLoad({
    ports: [Number(new URL(baseUrl).port)],
    path: `/v1/channels/${channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${apiKey}` },
    connections: flood.connections,
    measuredMs: flood.seconds * 1_000,
    threads: flood.threads,
    projectId,
    pace: flood.perSecond,
  });
  const {
    longestTask = 0,
    shift = 0,
    frames = 0,
  } = await page.evaluate<Readonly<Record<string, number>>>('probe');
  const inThread = await page.getByRole('log').locator('[data-message]').count();
  const grown = (await measureHeap(page)) - before;
  await page.context().close();
  const perSecond = (succeeded * 1_000) / (endedAt - startedAt);
  return [
    [
      `flood: messages, of them refused ${errors}; a second`,
      `${count(succeeded)}; ${count(perSecond)}`,
      '30,000; 500',
    ],
    ['flood: messages of the open thread that are in the page', count(inThread), ''],
    ['flood: times a second that the page was drawn anew', fixed(frames / flood.seconds), ''],
    ['flood: longest task of the page, ms', fixed(longestTask, 0), '100'],
    ['flood: growth of the heap, MB', fixed(grown / 1e6), '60'],
    ['flood: layout shift in the list', fixed(shift, 3), '0.020'],
  ];
}

export async function run(database: BenchDatabase): Promise<void> {
  const { endings } = database;
  const skein = await startSkein(database, 'console');
  const account = await createConsoleAccount(skein.server.url);
  const setting = { account, browser: await startChromium(endings), endings };
  await fill(setting);
  const rows: Row[] = [];
  for (const measure of [measureVisits, measureSwitches, measureShowing, measureFlood])
    rows.push(...(await measure(setting)));
  rows.push(...(await measureScrolling(setting, database, skein.databaseUrl)));
  console.log(`\n${table(['', 'measured', 'target'], rows)}`);
}

const scrolledThreads = quick(100_000, 2_000);
/** Pixels in each frame: at the pace of a reader, and as fast as a wheel spins. */
const speeds = { reading: 40, flinging: 700 } as const;
const scrolledMs = quick(10_000, 500);

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

async function measureScrolling(
  { account: { baseUrl }, browser, endings }: Setting,
  database: BenchDatabase,
  databaseUrl: string,
): Promise<readonly Row[]> {
  const account = await createConsoleAccount(baseUrl);
  const { threadId } = await account.skein.channels.receive(account.channelId, {
    externalParticipantRef: 'first',
    body: 'Hello, where is my order? It should have come on Friday.',
    participant: { displayName: 'Ada Byron' },
  });
  await database.query(databaseUrl, copies, [threadId, scrolledThreads - 1]);
  await database.query(databaseUrl, 'analyze threads', []);
  const page = await openConsole(endings, browser, account, account.owner);
  await page.getByRole('option').first().waitFor();
  await page.evaluate(driver);
  const read = await page.evaluate<{ rows: number; ms: number }>('scrolling.readAll()');
  const scroll = (step: number): Promise<Scrolled> =>
    page.evaluate(`scrolling.scroll(${step}, ${scrolledMs})`);
  const rows: Row[] = [
    [
      'scrolled: threads in the list; until all were read, s',
      `${count(read.rows)}; ${fixed(read.ms / 1_000)}`,
      count(scrolledThreads),
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

const probe = `
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
