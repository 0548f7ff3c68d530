/**
 * `npm run demo:console`, as a stranger meets it: started as a process, signed in to with what it prints, worked in by what the page offers,
 * and ended by a signal.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { pickPort } from '../../support/free-port.ts';
import { dataFolder } from '../../support/node-process.ts';
import { processGuard } from '../../support/process-guard.ts';
import { withTimeLimit } from '../../support/time-limit.ts';
import { findBarriers, watch } from './console-page.ts';

const program = fileURLToPath(new URL('../../../bench/demo/console/main.ts', import.meta.url));
const launcher = fileURLToPath(new URL('../../../.config/launch.js', import.meta.url));

const folder = await dataFolder(t);
const output: string[] = [];
const demo = await start();

async function start(): Promise<ChildProcess> {
  // No model of this machine, and no database of its own.
  const { LLM_PROVIDER_1_URL: _model, DATABASE_URL: _database, ...environment } = process.env;
  const child = spawn(process.execPath, [launcher, program], {
    env: { ...environment, PORT: String(await pickPort()), TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.once('exit', processGuard(child.pid ?? 0, 'TERM'));
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', line => output.push(line));
  t.teardown(() => void child.kill('SIGTERM'));
  return child;
}

/** What a line of its output has for the pattern, as soon as there is one. */
async function read(pattern: RegExp): Promise<string> {
  const look = async (): Promise<string> => {
    for (;;) {
      for (const line of output) {
        const found = pattern.exec(line)?.[1];
        if (found !== undefined) return found;
      }
      if (demo.exitCode !== null) throw new Error(`it has ended:\n${output.join('\n')}`);
      const lines = [demo.stdout, demo.stderr].flatMap(stream =>
        stream === null ? [] : [once(stream, 'data')],
      );
      await Promise.race([...lines, once(demo, 'exit')]);
    }
  };
  return withTimeLimit(look(), `line like ${pattern.source}`);
}

const address = await read(/(http:\S+\/console)$/);
const [email, password] = [await read(/(ines@\S+), /), await read(/ines@.*password: (\S+)/)];
await read(/(Ctrl-C) ends it/);
const browser = await startChromium(t);
// All rows at once.
const viewport = { width: 1_280, height: 1_700 };
const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', viewport });
const page: Page = await context.newPage();
watch(t, page);

const log = page.getByRole('log', { name: 'Messages' });
const card = page.getByRole('region', { name: 'Suggestion' });
const openQueue = (name: string): Promise<void> =>
  page.getByRole('link', { name: new RegExp(`^${name}`) }).click();
const openThread = (name: string): Promise<void> => page.getByRole('option', { name }).first().click();

t.test('signs in with what was printed', async () => {
  await page.goto(address);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: /password/i }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('option').first().waitFor();
});

t.test('each queue has something', async () => {
  const queues = ['Mine', 'Unassigned', 'All open', 'Needs approval', 'Waiting longest', 'Window closing'];
  for (const name of [...queues, 'Failed sends', 'Agent paused', 'Closed'])
    await page.getByRole('link', { name: new RegExp(`^${name} [1-9]`) }).waitFor();
  await openQueue('Snoozed');
  await page.getByRole('option', { name: 'Arjun Patel' }).waitFor();
});

t.test('is mentioned in a note of a colleague', async t => {
  await page.getByRole('link', { name: /^Mentions 1$/ }).click();
  await page.getByRole('link', { name: /^Tom Bakker, about Lucía Fernández/ }).click();
  const note = log.getByRole('article', { name: 'Note, Tom Bakker' });
  t.equal(await note.locator('mark').textContent(), '@Ines Moreau');
});

t.test('approves what the agent suggests, and sees how it came to it', async t => {
  await openQueue('Needs approval');
  await openThread('Anna Kowalska');
  await card.getByRole('button', { name: 'Details of the run' }).click();
  const run = page.getByRole('dialog', { name: 'Run of the agent' });
  await run.getByText('Tool lookup_order').waitFor();
  await run.getByText('Northern Parcel').waitFor();
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Approve' }).click();
  await log.getByText(/Your parcel B42 has been held up/).waitFor();
  await log
    .getByRole('img', { name: /^(Delivered|Read)$/ })
    .or(log.getByLabel(/^(Delivered|Read)$/))
    .first()
    .waitFor();
  t.strictSame(await findBarriers(page), []);
});

t.test('allows a tool that waits for somebody', async () => {
  await openQueue('All open');
  await openThread('Jonas Weber');
  const wanted = page.getByRole('region', { name: 'The agent wants to use a tool' });
  await wanted.getByText('refund_order').waitFor();
  await wanted.getByRole('button', { name: 'Allow' }).click();
  await card.getByText(/89\.00 EUR go back/).waitFor();
});

t.test('assigns a conversation whose agent asks for a person, answers, and closes it', async () => {
  await openThread('Hugo Bernard');
  await page.getByText(/^The agent asks for a person: Asks for a person, after a complaint$/).waitFor();
  await page.getByRole('button', { name: 'Assign', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Assign to me' }).click();
  await page.getByRole('button', { name: /^Assigned to Ines Moreau/ }).waitFor();
  await page.getByRole('textbox', { name: 'Reply' }).fill('Hello Hugo, what may I do for you?');
  await page.keyboard.press('Enter');
  // The customer goes on by himself.
  await log.getByText('It is about a complaint of last month.').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await openQueue('Closed');
  await page.getByRole('option', { name: 'Hugo Bernard' }).waitFor();
});

t.test('finds a conversation by a word, with the picture that was sent', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('cup broken');
  const found = page.getByRole('listbox', { name: 'What was found' });
  await found.getByRole('option', { name: 'Yuki Tanaka' }).click();
  await log.getByRole('button', { name: 'Open broken-cup.png' }).waitFor();
});

t.test('sends again what could not be delivered', async () => {
  await openQueue('Failed sends');
  await openThread('David Cohen');
  await log.getByText('Not delivered: The phone has been switched off for two days').waitFor();
  await log.getByRole('button', { name: 'Send again' }).click();
  // It arrives now, and is answered.
  await log.getByText('Two boxes, 14 kg.').waitFor();
});

t.test('is offered templates where the window is closed', async t => {
  await openQueue('All open');
  await openThread('Tomás Herrera');
  await page.getByText('The window of this conversation is closed').waitFor();
  await page
    .getByRole('region', { name: 'Templates' })
    .getByRole('button', { name: /question_answered/ })
    .waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.keyboard.press('Escape');
});

t.test('sees a colleague at work', async () => {
  await openThread('Freja Nielsen');
  await page.getByText(/^Tom Bakker is (viewing|writing)$/).waitFor();
});

t.test('ends with a signal, and leaves nothing', async t => {
  await context.close();
  const exited = once(demo, 'exit');
  demo.kill('SIGTERM');
  t.strictSame(await withTimeLimit(exited, 'end of the demonstration'), [0, null], output.join('\n'));
  t.strictSame(await readdir(folder), []);
  t.notOk(
    output.some(line => line.includes('✗')),
    output.join('\n'),
  );
});
