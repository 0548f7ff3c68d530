/**
 * `npm run pictures`: the Console as pictures, of a shop that does not exist, on a node that is gone afterwards. Look at them after each change of
 * its looks. Those of the guide go to docs/guide/console; every screen and state goes to node_modules/.cache/pictures.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import {
  addOperator,
  type ConsoleSetting,
  openConsole,
  type Operator,
  receive,
  startConsole,
  verifyOwner,
} from './console-page.ts';
import { screens } from './screens.ts';
import { setStage, type Stage, startStageServices } from './stage.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = join('docs', 'guide', 'console');
const all = join('node_modules', '.cache', 'pictures', 'console');
/** Of the screens, those that the guide shows. */
const inGuide: ReadonlySet<string> = new Set(['list', 'search', 'edit', 'run-drawer', 'template']);
const size = { width: 1_280, height: 800 };
const phone = { width: 390, height: 780 };

/** Who writes, and what. */
const openings = [
  ['amara', 'Amara Okafor', 'Can I change the delivery address of order C31?'],
  ['lucia', 'Lucía Fernández', 'The discount code AUTUMN does not work in the basket.'],
  ['noah', 'Noah Tremblay', 'Is the lamp in stock again?'],
  ['olivia', 'Olivia Brown', 'How long does delivery to Scotland take?'],
  ['mateus', 'Mateus Silva', 'I was charged twice for the same order!'],
  ['freja', 'Freja Nielsen', 'Please cancel my order, I took the wrong size.'],
] as const;

interface Shop {
  readonly setting: ConsoleSetting;
  readonly stage: Stage;
  readonly operator: Operator;
  /** The conversation that is shown. */
  readonly threadId: string;
}

async function setUp(): Promise<Shop> {
  const services = await startStageServices(t);
  const setting = await startConsole(t, services.variables);
  const { skein, projectId } = setting;
  // A channel without an agent.
  const { channelId } = await skein.channels.create({ name: 'Shop app', kind: 'sandbox' });
  const threadIds: string[] = [];
  for (const [ref, name, body] of openings)
    threadIds.push(await receive({ skein, channelId }, ref, body, name));
  const stage = await setStage(setting, services, () => verifyOwner(setting));
  const operator = await addOperator(setting, 'agent', 'tom.bakker');
  const { threads, messages, notes } = operator.api;
  const chloe = { skein, channelId };
  const invoice = 'The invoice of my last order has the wrong company name.';
  const threadId = await receive(chloe, 'chloe', invoice, 'Chloé Martin');
  await threads.assign(threadId, { projectId, userId: operator.userId });
  await messages.create(threadId, { projectId, body: 'I am sorry. Which name should the invoice have?' });
  await notes.create(threadId, { projectId, body: 'The same happened in March: the account has two names.' });
  await receive(chloe, 'chloe', 'It is Martin et Fils SARL.', 'Chloé Martin');
  await skein.threads.update(threadIds[1] ?? '', { agentMode: 'paused', tags: ['discount'] });
  return { setting, stage, operator, threadId };
}

async function take(page: Page, folder: string, name: string): Promise<void> {
  // Fonts and what fades in have come by then.
  await page.evaluate('document.fonts.ready');
  await page.waitForTimeout(500);
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path: join(root, path) });
  process.stdout.write(`${path}\n`);
}

async function takeAll({ setting, stage, operator, threadId }: Shop): Promise<void> {
  const browser = await startChromium(t);
  const open = (path: string, options = {}): Promise<Page> =>
    openConsole(t, browser, setting, operator, { viewport: size, path, ...options });
  const message = (page: Page): Promise<void> =>
    page.getByText('It is Martin et Fils SARL.').last().waitFor();

  const outsider = await browser.newPage({ viewport: size });
  await outsider.goto(`${setting.baseUrl}/console`);
  await outsider.getByRole('button', { name: 'Sign in' }).waitFor();
  await take(outsider, all, 'sign-in');
  await outsider.close();

  const conversation = stage.path('mine', threadId);
  const variants = [
    [guide, 'conversation', conversation, {}],
    [guide, 'conversation-dark', conversation, { colorScheme: 'dark' }],
    [all, 'conversation-german', conversation, { locale: 'de-DE' }],
    [guide, 'phone-conversation', conversation, { viewport: phone }],
  ] as const;
  for (const [folder, name, path, options] of variants) {
    const page = await open(path, options);
    await message(page);
    await take(page, folder, name);
    await page.context().close();
  }
  const phoneList = await open(stage.path('all'), { viewport: phone });
  await phoneList.getByRole('option').first().waitFor();
  await take(phoneList, all, 'phone-list');

  const page = await openConsole(t, browser, setting, setting.owner, {
    viewport: size,
    path: '/console/settings',
  });
  for (const screen of screens) {
    await screen.open(page, stage);
    await take(page, inGuide.has(screen.name) ? guide : all, screen.name);
  }
}

t.setTimeout(0);
for (const folder of [guide, all]) await mkdir(join(root, folder), { recursive: true });
await takeAll(await setUp());
t.end();
