/**
 * What browser tests of the Console share: a real node with an account, operators who are signed in, and pages that must break neither the
 * policy nor throw.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { Skein } from '../../../clients/sdk/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { Ending } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { shareSkein, type SharedSkein, startSkeinOn } from '../../support/skein.ts';
import type { TestLog } from '../../support/test-log.ts';

await promisify(execFile)(process.execPath, [
  fileURLToPath(new URL('../../../clients/build.js', import.meta.url)),
]);

/** Password of every account. */
export const password = 'correct horse battery';

export interface Operator {
  readonly email: string;
  readonly userId: string;
  /** The API as this operator; its token is good for 15 minutes. */
  readonly api: Skein;
}

export interface ConsoleAccount {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** A sandbox channel. */
  readonly channelId: string;
  /** The owner of the workspace, who may answer as well. */
  readonly owner: Operator;
  /** With a key of the sandbox. */
  readonly skein: Skein;
  /** The key. */
  readonly apiKey: string;
}

export interface ConsoleSetting extends ConsoleAccount {
  readonly database: Database;
  /** Log of the node; mails are found there. */
  readonly log: TestLog;
}

export interface SharedConsole extends ConsoleSetting, Pick<SharedSkein, 'provider' | 'models'> {}

/** Creates an account on the shared node: its sandbox with a channel, and an owner. `ownerName`: the address before the @. */
export async function shareConsole(t: Test, ownerName?: string): Promise<SharedConsole> {
  const { url, database, log, provider, models } = await shareSkein(t);
  return { ...(await createConsoleAccount(url, ownerName)), database, log, provider, models };
}

/** Creates an account on a node of the test's own, for a test that configures it. */
export async function startConsole(
  t: Test,
  variables: Readonly<Record<string, string>>,
  ownerName?: string,
): Promise<ConsoleSetting> {
  const { url, database } = await startTestDatabase(t);
  const { url: baseUrl, log } = await startSkeinOn(t, url, variables);
  return { ...(await createConsoleAccount(baseUrl, ownerName)), database, log };
}

/** Marks the owner's address as verified, as production and invitations need it. The node caches a session for a second. */
export async function verifyOwner({
  database,
  owner,
}: Pick<ConsoleSetting, 'database' | 'owner'>): Promise<void> {
  await database.query('update users set email_verified_at = now() where user_id = $1', [owner.userId]);
  await eventually(
    'verified address',
    async () => (await owner.api.caller.get()).user?.emailVerified === true,
  );
}

/** An account on a node that runs, its sandbox, and a channel in it. */
export async function createConsoleAccount(baseUrl: string, ownerName?: string): Promise<ConsoleAccount> {
  const owner = await signUp(baseUrl, ownerName);
  const [project] = await owner.api.projects.list().toArray(1);
  const projectId = project?.projectId ?? '';
  const [sandbox] = await owner.api.environments.list({ projectId }).toArray(1);
  const { secret } = await owner.api.apiKeys.create({
    projectId,
    name: 'Test',
    environment: 'test',
    scopes: ['*'],
  });
  const skein = new Skein({ apiKey: secret, baseUrl });
  const { channelId } = await skein.channels.create({ name: 'Sandbox', kind: 'sandbox' });
  const environmentId = sandbox?.environmentId ?? '';
  return { baseUrl, projectId, environmentId, channelId, owner, skein, apiKey: secret };
}

async function signUp(baseUrl: string, name = `operator-${randomUUID()}`): Promise<Operator> {
  const anonymous = new Skein({ apiKey: null, baseUrl });
  const email = `${name}@example.com`;
  const { accessToken } = await anonymous.auth.signUp({ email, password });
  const api = new Skein({ apiKey: () => accessToken, baseUrl });
  const { userId } = await api.auth.me();
  return { email, userId, api };
}

/** Another operator of the project: as if they had been invited to its workspace. */
export async function addOperator(
  { baseUrl, database, projectId, owner }: Omit<ConsoleSetting, 'log'>,
  role: 'agent' | 'viewer' = 'agent',
  name?: string,
): Promise<Operator> {
  const operator = await signUp(baseUrl, name);
  await database.query(
    `update workspace_members set role = 'viewer',
       workspace_id = (select workspace_id from workspace_members where user_id = $1) where user_id = $2`,
    [owner.userId, operator.userId],
  );
  await owner.api.request('upsertConsoleMember', {
    params: { projectId },
    body: { userId: operator.userId, role },
  });
  // The first token names the operator's own workspace.
  const anonymous = new Skein({ apiKey: null, baseUrl });
  const { accessToken } = await anonymous.auth.login({ email: operator.email, password });
  return { ...operator, api: new Skein({ apiKey: () => accessToken, baseUrl }) };
}

/** A participant writes; gives the thread. */
export async function receive(
  { skein, channelId }: { readonly skein: Pick<Skein, 'channels'>; readonly channelId: string },
  from: string,
  body: string,
  displayName?: string,
): Promise<string> {
  const { threadId } = await skein.channels.receive(channelId, {
    externalParticipantRef: from,
    body,
    ...(displayName === undefined ? {} : { participant: { displayName } }),
  });
  return threadId;
}

/** Opens a page that is not signed in, with cookies and storage of its own. */
export async function openPage(
  t: Ending,
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  watch(t, page);
  await page.goto(url);
  return page;
}

/** A page that is signed in, with cookies and storage of its own. That it has thrown nothing is asserted when the test ends. */
export async function openConsole(
  t: Ending,
  browser: Browser,
  { baseUrl, projectId, environmentId }: ConsoleAccount,
  operator: Pick<Operator, 'email'>,
  { path, ...options }: BrowserContextOptions & { readonly path?: string } = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const login = await context.request.post(`${baseUrl}/v1/studio/auth/login`, {
    data: { email: operator.email, password },
  });
  if (!login.ok()) throw new Error(`the operator cannot sign in: ${await login.text()}`);
  const page = await context.newPage();
  watch(t, page);
  await page.goto(`${baseUrl}${path ?? `/console/${projectId}/${environmentId}/all`}`);
  return page;
}

/** What a page showed when its test failed, and why that may be, is known to nobody afterwards. */
async function describe(page: Page): Promise<string> {
  const text = await page.innerText('body', { timeout: 10_000 }).catch((error: unknown) => String(error));
  return `When its test failed, ${page.url()} showed:\n${text}\n`;
}

/** Collects what the browser complains of, and asserts at the end that it was nothing. */
export function watch(t: Ending, page: Page): void {
  const problems: string[] = [];
  page.on('pageerror', error => problems.push(String(error.stack ?? error)));
  page.on('console', message => {
    // Refused policies come as errors, too; answers that are no success, or do not come, are no problem of the page.
    const isOfNetwork = /^Failed to load resource|WebSocket connection|^ConnectionError|Missing file: /.test(
      message.text(),
    );
    if (message.type() === 'error' && !isOfNetwork) problems.push(message.text());
  });
  t.teardown(async () => {
    if (t.passing?.() === false) process.stderr.write(await describe(page));
    // What a test answers for the node may still be on its way.
    await page.unrouteAll({ behavior: 'ignoreErrors' }).catch(() => undefined);
    await page.context().close();
    // A test that is over asserts nothing any more.
    if (problems.length > 0) throw new Error(`the page complains: ${problems.join('\n')}`);
  });
}

/** As wide as most, without what the browser takes of it. */
export const phone = { viewport: { width: 390, height: 780 }, hasTouch: true } as const;

/** Within the screen without scrolling, and under nothing; nothing is wider than the screen. */
export async function expectInReach(t: Test, page: Page, ...targets: readonly Locator[]): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  for (const target of targets) {
    const box = (await target.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
    t.ok(
      box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height,
      String(target),
    );
    await target.tap({ trial: true });
  }
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
}

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Where there are barriers it looks again: what is just being opened is still pale. */
const mostLooks = 5;
const betweenLooksMs = 300;

/** What people who depend on assistive technology would stumble over, as axe finds it: one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Half a megabyte, which one document needs once.
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axeSource);
  for (let look = 1; ; look++) {
    const barriers = await lookForBarriers(page);
    if (barriers.length === 0 || look === mostLooks) return barriers;
    await page.waitForTimeout(betweenLooksMs);
  }
}

/** Asserts that axe finds nothing in the light and in the dark page. `what` names the state of the page. */
export async function expectNoBarriers(t: Test, page: Page, what = 'the page'): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    t.strictSame(await findBarriers(page), [], `${what}, ${colorScheme}`);
  }
}

async function lookForBarriers(page: Page): Promise<string[]> {
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(' | ')
        .slice(0, 600)}`,
  );
}
