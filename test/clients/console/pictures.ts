/**
 * `npm run pictures`: the main states of the Console as pictures, in docs/guide/console; look at them after each change of its looks. The
 * conversations are those of a shop that does not exist, on a node that is gone afterwards.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import {
  addOperator,
  type ConsoleSetting,
  openConsole,
  type Operator,
  receive,
  startConsole,
} from './console-page.ts';

const folder = fileURLToPath(new URL('../../../docs/guide/console/', import.meta.url));
const size = { width: 1_280, height: 800 };
const phone = { width: 390, height: 780 };

/** Who writes, and what. */
const openings = [
  ['maya', 'Maya Lindqvist', 'Hello, where is my order? It should have come on Friday.'],
  ['jonas', 'Jonas Weber', 'I would like a refund for the blue jacket. It does not fit.'],
  ['amara', 'Amara Okafor', 'Can I change the delivery address of order C31?'],
  ['lucia', 'Lucía Fernández', 'The discount code AUTUMN does not work in the basket.'],
  ['noah', 'Noah Tremblay', 'Is the lamp in stock again?'],
  ['yuki', 'Yuki Tanaka', 'My parcel arrived, but one cup is broken.'],
  ['olivia', 'Olivia Brown', 'How long does delivery to Scotland take?'],
  ['mateus', 'Mateus Silva', 'I was charged twice for the same order!'],
  ['freja', 'Freja Nielsen', 'Please cancel my order, I took the wrong size.'],
  ['chloe', 'Chloé Martin', 'The invoice of my last order has the wrong company name.'],
] as const;

interface Shop {
  readonly setting: ConsoleSetting;
  readonly operator: Operator;
  readonly browser: Browser;
  /** The conversation that is shown. */
  readonly threadId: string;
}

async function setUp(): Promise<Shop> {
  const setting = await startConsole(t);
  const operator = await addOperator(setting, 'agent', 'ines.moreau');
  const threadIds: string[] = [];
  for (const [ref, name, body] of openings) threadIds.push(await receive(setting, ref, body, name));
  const threadId = threadIds[0] ?? '';
  const { projectId } = setting;
  const { threads, messages, notes } = operator.api;
  await threads.assign(threadId, { projectId, userId: operator.userId });
  await messages.create(threadId, {
    projectId,
    body: 'I am sorry that you have to wait. May I have the number of your order?',
  });
  await notes.create(threadId, {
    projectId,
    body: 'The carrier has had delays in the north since Thursday.',
  });
  await receive(setting, 'maya', 'It is A17.', 'Maya Lindqvist');
  await setting.skein.threads.update(threadIds[3] ?? '', { agentMode: 'paused', tags: ['discount'] });
  await setting.skein.threads.update(threadIds[9] ?? '', { status: 'closed' });
  return { setting, operator, browser: await startChromium(t), threadId };
}

async function take(page: Page, name: string): Promise<void> {
  // Fonts and what fades in have come by then.
  await page.evaluate('document.fonts.ready');
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`docs/guide/console/${name}.png\n`);
}

async function takeAll({ setting, operator, browser, threadId }: Shop): Promise<void> {
  const { projectId, environmentId, baseUrl } = setting;
  const at = (rest: string): string => `/console/${projectId}/${environmentId}/${rest}`;
  const open = (path: string, options = {}): Promise<Page> =>
    openConsole(t, browser, setting, operator, { viewport: size, path, ...options });
  const ready = (page: Page): Promise<void> => page.getByRole('option').first().waitFor();
  const message = (page: Page): Promise<void> => page.getByText('It is A17.').last().waitFor();

  const outsider = await browser.newPage({ viewport: size });
  await outsider.goto(`${baseUrl}/console`);
  await outsider.getByRole('button', { name: 'Sign in' }).waitFor();
  await take(outsider, 'sign-in');
  await outsider.close();

  const list = await open(at('all'));
  await ready(list);
  await take(list, 'list');
  await list.getByRole('button', { name: 'Filter', exact: true }).click();
  await list.getByRole('dialog').waitFor();
  await take(list, 'filters');
  await list.keyboard.press('Escape');
  await list.keyboard.press('?');
  await list.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await take(list, 'keyboard');

  const thread = await open(at(`mine/${threadId}`));
  await message(thread);
  await take(thread, 'conversation');
  const dark = await open(at(`mine/${threadId}`), { colorScheme: 'dark' });
  await message(dark);
  await take(dark, 'conversation-dark');
  const german = await open(at(`all/${threadId}`), { locale: 'de-DE' });
  await message(german);
  await take(german, 'conversation-german');
  const search = await open(at('all'));
  await ready(search);
  await search.keyboard.press('Control+k');
  await search.getByRole('dialog').waitFor();
  await take(search, 'search');

  const phoneList = await open(at('all'), { viewport: phone });
  await ready(phoneList);
  await take(phoneList, 'phone-list');
  const phoneThread = await open(at(`all/${threadId}`), { viewport: phone });
  await message(phoneThread);
  await take(phoneThread, 'phone-conversation');
}

t.setTimeout(0);
await mkdir(folder, { recursive: true });
await takeAll(await setUp());
t.end();
