/** Fixtures of the browser tests: accounts on a real node, operators who are signed in, and pages that must not report an error. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { Skein } from '../../../clients/sdk/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { Ending } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { shareSkein, type SharedSkein, startSkeinOn } from '../../support/skein.ts';
import type { TestLog } from '../../support/test-log.ts';
import '../built-apps.ts';

/** Password of every account. */
export const password = 'correct horse battery';

export interface Operator {
  readonly email: string;
  readonly userId: string;
  /** Client with the access token of the operator, which is valid for 15 minutes. */
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
  /** Client with an API key of the sandbox. */
  readonly skein: Skein;
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

/** Creates an account on a running node, with a channel in its sandbox. */
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

/** Adds an operator to the project, as an accepted invitation does. */
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
  // The first token is for the workspace of the operator.
  const anonymous = new Skein({ apiKey: null, baseUrl });
  const { accessToken } = await anonymous.auth.login({ email: operator.email, password });
  return { ...operator, api: new Skein({ apiKey: () => accessToken, baseUrl }) };
}

/** Sends a message of a participant, and returns the id of its thread. */
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

/** Opens a page with a signed-in operator, cookies and storage of its own. */
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

/** Returns the text of a page for the output of a failed test. */
async function describe(page: Page): Promise<string> {
  const text = await page.innerText('body', { timeout: 10_000 }).catch((error: unknown) => String(error));
  return `When its test failed, ${page.url()} showed:\n${text}\n`;
}

/** Fails the test at its end if the page has reported an error. */
export function watch(t: Ending, page: Page): void {
  const problems: string[] = [];
  page.on('pageerror', error => problems.push(String(error.stack ?? error)));
  page.on('console', message => {
    // The browser reports violations of the content security policy as errors. A failed request is not an error of the page.
    const isOfNetwork = /^Failed to load resource|WebSocket connection|^ConnectionError|Missing file: /.test(
      message.text(),
    );
    if (message.type() === 'error' && !isOfNetwork) problems.push(message.text());
  });
  t.teardown(async () => {
    if (t.passing?.() === false) process.stderr.write(await describe(page));
    // A route of the test may still be answering.
    await page.unrouteAll({ behavior: 'ignoreErrors' }).catch(() => undefined);
    await page.context().close();
    // The test has ended: an assertion would be ignored.
    if (problems.length > 0) throw new Error(`the page complains: ${problems.join('\n')}`);
  });
}

/** The viewport of a common phone without the bars of the browser. */
export const phone = { viewport: { width: 390, height: 780 }, hasTouch: true } as const;

/** Asserts that the targets can be tapped without scrolling, and that nothing is wider than the screen. */
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

/** Looks again when there are barriers: the contrast is too low while an element fades in. */
const mostLooks = 5;
const betweenLooksMs = 300;

/** Returns the accessibility violations that axe finds, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // The script has 500 kB. A document needs it once.
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
