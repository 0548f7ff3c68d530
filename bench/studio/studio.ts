/**
 * Studio in a real browser, beside the node on the same machine: what is loaded for the first page and for each part, how long a newcomer takes
 * from the address to a webhook that was delivered to another process when they never have to think, and what axe finds.
 */
import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import {
  type ConsoleAccount,
  createConsoleAccount,
  findBarriers,
  openConsole,
  watch,
} from '../../test/clients/console/console-page.ts';
import { showIn } from '../../test/clients/console/screens.ts';
import { visitFirst } from '../../test/clients/first-visit.ts';
import { partBudgetKiB, readParts } from '../../test/clients/parts.ts';
import {
  closeSecret,
  makeAccount,
  makeChannel,
  makeKey,
  makeWebhook,
  sendTest,
  writeMessage,
} from '../../test/clients/studio/first-steps.ts';
import { openScreen, setStudioStage } from '../../test/clients/studio/screens.ts';
import { startChromium } from '../../test/support/chromium.ts';
import { Receiver } from '../../test/support/receiver.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Endings } from '../support/endings.ts';
import { startSkein } from '../support/skein.ts';
import { count, fixed, median, table } from '../support/table.ts';

const newcomers = 3;
/** The account operates the service, so that the System page is there as well. */
const operator = 'operates';
const confirmAddress = 'update users set email_verified_at = now() where user_id = $1';
/** What is known of a session is held for a second. */
const heldMs = 5_000;
const password = 'correct horse battery';

interface Setting {
  readonly account: ConsoleAccount;
  readonly browser: Browser;
  readonly endings: Endings;
}

/** What was measured, its value, and the target. */
type Row = readonly [what: string, measured: string, target: string];

async function measureLoads({ account, browser, endings }: Setting): Promise<readonly Row[]> {
  const { baseUrl, projectId, environmentId, owner } = account;
  const page = await openConsole(endings, browser, account, owner, { path: '/healthz' });
  const start = `${baseUrl}/studio/${projectId}/${environmentId}`;
  const { scriptBytes } = await visitFirst(page, start, 'main h1');
  await page.context().close();
  const parts = await readParts('studio');
  const [largest, second] = parts.map(({ name, kib }) => `${name} ${fixed(kib)}`);
  return [
    ['first visit: scripts before the start shows, by gzip, KiB', fixed(scriptBytes / 1_024), '240'],
    [
      `the largest two of ${count(parts.length)} parts that are loaded later, KiB`,
      `${largest}; ${second}`,
      String(partBudgetKiB),
    ],
  ];
}

/** Each in a browser of their own, with nothing in its cache. */
async function measureFirstSteps({
  account: { baseUrl },
  browser,
  endings,
}: Setting): Promise<readonly Row[]> {
  const receiver = await Receiver.start();
  endings.teardown(() => receiver.stop());
  const nothing = (): Promise<void> => Promise.resolve();
  const tookMs: number[] = [];
  for (let newcomer = 1; newcomer <= newcomers; newcomer++) {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    watch(endings, page);
    const start = performance.now();
    await page.goto(`${baseUrl}/studio`);
    await makeAccount(page, `newcomer-${newcomer}@example.com`, password);
    await makeChannel(page, nothing);
    await writeMessage(page);
    await page.getByRole('link', { name: 'Start' }).click();
    await makeKey(page, nothing);
    await closeSecret(page);
    await makeWebhook(page, receiver.url('/events'), nothing);
    await closeSecret(page);
    await sendTest(page);
    tookMs.push(performance.now() - start);
    if (receiver.received.length !== newcomer) throw new Error('the webhook has not come');
    await context.close();
  }
  const took = tookMs.map(ms => fixed(ms / 1_000)).join(', ');
  return [
    [
      `from the address of Studio to a webhook that was delivered, median of ${newcomers} (${took}), s`,
      fixed(median(tookMs) / 1_000),
      '60',
    ],
  ];
}

async function countBarriers({ account, browser, endings }: Setting): Promise<readonly Row[]> {
  const { screens } = await setStudioStage(account);
  const page = await openConsole(endings, browser, account, account.owner, { path: '/studio/account' });
  let found = 0;
  for (const screen of screens) {
    await openScreen(page, account.baseUrl, screen);
    for (const colorScheme of ['light', 'dark'] as const) {
      await showIn(page, colorScheme);
      const barriers = await findBarriers(page);
      for (const each of barriers) console.log(`${screen.path}, ${colorScheme}: ${each}`);
      found += barriers.length;
    }
  }
  await page.context().close();
  return [[`axe: violations on ${screens.length} pages, light and dark`, String(found), '0']];
}

async function untilAdministers({ owner }: ConsoleAccount): Promise<void> {
  for (const start = performance.now(); ; await setTimeout(100)) {
    const { user } = await owner.api.caller.get();
    if (user?.instanceAdmin === true) return;
    if (performance.now() - start > heldMs) throw new Error('the account does not operate the service');
  }
}

/** Runs them one after the other and prints a table. */
export async function benchStudio(database: BenchDatabase): Promise<void> {
  const endings = new Endings();
  const skein = await startSkein(database, 'studio', { INSTANCE_ADMINS: `${operator}@example.com` });
  try {
    const account = await createConsoleAccount(skein.server.url, operator);
    await database.query(skein.databaseUrl, confirmAddress, [account.owner.userId]);
    await untilAdministers(account);
    const setting = { account, browser: await startChromium(endings), endings };
    const rows = [
      ...(await measureLoads(setting)),
      ...(await measureFirstSteps(setting)),
      ...(await countBarriers(setting)),
    ];
    console.log(`\n${table(['', 'measured', 'target'], rows)}`);
  } finally {
    await endings.end();
    await skein.stop();
  }
}
