/** A conversation on the screen: its history, what is in its messages, and what happens to it while it is open. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const open = (t: Parameters<typeof openConsole>[0], threadId: string, options = {}): Promise<Page> =>
  openConsole(t, browser, setting, owner, { path: toPath(threadId), ...options });

t.test('shows what is in the messages, and nothing of it does anything', async t => {
  const hostile =
    '<img src=x onerror="document.title=\'taken\'"> \u202Egnp.exe\u202C Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334';
  const threadId = await receive(setting, 'hostile', hostile, 'Eve \u202Eeve');
  const inbound = (body: object) => skein.messages.create(threadId, { direction: 'inbound', ...body });
  const asked = await inbound({ body: 'See https://example.com/orders?id=7, or javascript:alert(1).' });
  await inbound({ content: { type: 'location', latitude: 52.5, longitude: 13.4, name: 'The office' } });
  await inbound({
    content: { type: 'contacts', contacts: [{ name: 'Grace', phones: [{ phone: '+49 30 1234' }] }] },
  });
  await skein.messages.create(threadId, { body: 'It is there.', replyTo: { messageId: asked.messageId } });
  await inbound({ content: { type: 'reaction', emoji: '👍', messageId: asked.messageId } });
  await inbound({ body: 'x'.repeat(16_000) });
  await skein.notes.create(threadId, { body: 'Careful with this one.' });
  const page = await open(t, threadId, { viewport: { width: 1_280, height: 3_000 } });

  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByText('<img src=x onerror=').waitFor();
  const link = log.getByRole('link', { name: 'https://example.com/orders?id=7', exact: true });
  t.equal(await link.getAttribute('href'), 'https://example.com/orders?id=7');
  t.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
  t.equal(await log.getByRole('link', { name: 'javascript' }).count(), 0);
  t.equal(
    await page.getByRole('heading', { name: 'Eve eve', exact: true }).count(),
    1,
    'a name without turns',
  );
  t.match(
    await log.getByRole('link', { name: 'Open the map' }).getAttribute('href'),
    /openstreetmap\.org\/\?mlat=52\.5/,
  );
  t.equal(await log.getByRole('link', { name: '+49 30 1234' }).getAttribute('href'), 'tel:+49301234');
  t.equal(await log.getByText('👍').count(), 1, 'a reaction stands at its message alone');
  t.equal(await log.getByRole('blockquote').count(), 1);
  await log.getByRole('button', { name: 'Show all' }).waitFor();
  await log.getByText('Careful with this one.').waitFor();
  t.notMatch(await page.title(), /taken|Careful/);
  const [width, whole] = await log.evaluate(element => {
    const { clientWidth, scrollWidth } = element as unknown as Record<string, number>;
    return [clientWidth, scrollWidth];
  });
  t.equal(whole, width, 'nothing is wider than the list');
  t.strictSame(await findBarriers(page), []);
});

t.test(
  'shows what a provider may bring: choices, orders, notices, forwarded and by an advertisement',
  async t => {
    const threadId = await receive(setting, 'provided', 'Hello');
    const page = await open(t, threadId);
    const log = page.getByRole('log', { name: 'Messages' });
    await log.getByText('Hello').waitFor();
    const item = { productId: 'cup-7', quantity: 2, price: 9.5, currency: 'EUR' };
    const referral = { sourceUrl: 'https://shop.example/cups', headline: 'Cups', body: null };
    const sticker = { attachmentId: 'attachment_1', kind: 'sticker', status: 'pending' };
    const choice = { type: 'interactive', kind: 'list', id: 'b', title: 'Blue', data: { Size: 'small' } };
    const given = [
      { body: 'In words', content: { type: 'order', catalogId: null, text: 'For Ada', items: [item] } },
      { body: 'Blue', content: choice },
      { content: { type: 'system', event: 'number_changed' } },
      { content: { type: 'unsupported', providerType: 'poll' } },
      { body: 'Look at this', forwarded: 'often' },
      { body: 'How much?', referral },
      { content: { type: 'media', kind: 'sticker' }, attachments: [sticker] },
    ];
    // As they come over a channel of a chat provider.
    await page.route(/\/threads\/[^/]+\/messages\?/, async route => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as {
        data: readonly Readonly<Record<string, unknown>>[];
      };
      const provided = given.map((each, at) => ({
        ...data[0],
        body: '',
        messageId: `message_${at}`,
        sequence: 100 + at,
        ...each,
      }));
      const inOrder = route.request().url().includes('order=desc')
        ? [...provided.reverse(), ...data]
        : [...data, ...provided];
      await route.fulfill({ response, json: { ...rest, data: inOrder } });
    });
    await page.reload();
    await log.getByText(/^2 × cup-7 9\.5 EUR$/).waitFor();
    for (const text of [
      'For Ada',
      'Chose from the list',
      'Size: small',
      'The participant has a new number',
      'This kind of message cannot be shown here (poll)',
      'Forwarded many times',
      'Came from an advertisement: Cups',
      'Sticker: ',
    ])
      await log.getByText(text).first().waitFor();
    t.equal(await log.getByText('In words').count(), 0, 'an order says more than its words');
    const link = log.getByRole('link', { name: 'Cups' });
    t.equal(await link.getAttribute('href'), 'https://shop.example/cups');
    t.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
    t.strictSame(await findBarriers(page), []);
  },
);

t.test('receipts become ticks, and a message that failed says why and is sent again', async t => {
  const { channelId } = await skein.channels.create({ name: 'Own', kind: 'custom' });
  const threadId = await receive({ skein, channelId }, 'ticks', 'Hello');
  const page = await open(t, threadId);
  await page.getByRole('textbox', { name: 'Reply' }).fill('On its way');
  await page.keyboard.press('Enter');
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByRole('img', { name: 'Queued' }).waitFor();
  const [message] = (await skein.messages.list(threadId, { order: 'desc', limit: 1 })).data;
  const { messageId = '' } = message ?? {};
  const occurredAt = new Date().toISOString();
  for (const [status, tick] of [
    ['sent', 'Sent'],
    ['delivered', 'Delivered'],
    ['read', 'Read'],
  ] as const) {
    await skein.channels.recordReceipt(channelId, { messageId, status, occurredAt });
    await log.getByRole('img', { name: tick, exact: true }).waitFor();
  }
  await page.getByRole('textbox', { name: 'Reply' }).fill('Refused');
  await page.keyboard.press('Enter');
  await log.getByRole('img', { name: 'Queued' }).waitFor();
  const [second] = (await skein.messages.list(threadId, { order: 'desc', limit: 1 })).data;
  await skein.channels.recordReceipt(channelId, {
    messageId: second?.messageId ?? '',
    status: 'failed',
    occurredAt,
    error: { message: 'No such number' },
  });
  await log.getByText('Not delivered: No such number').waitFor();
  await log.getByRole('button', { name: 'Send again' }).dblclick();
  await log.getByRole('img', { name: 'Queued' }).waitFor();
  t.equal(await log.getByRole('button', { name: 'Send again' }).count(), 0);
  const sent = (await skein.messages.list(threadId).toArray()).filter(({ body }) => body === 'Refused');
  t.equal(sent.length, 2);

  await skein.channels.recordReceipt(channelId, {
    messageId: sent[1]?.messageId ?? '',
    status: 'failed',
    occurredAt,
  });
  const again = log.getByRole('button', { name: 'Send again' });
  await again.waitFor();
  await skein.threads.erasePersonalData(threadId);
  await again.waitFor({ state: 'detached' });
  t.equal(await log.getByText('Refused', { exact: true }).count(), 0, 'nothing is left to send');
  await receive({ skein, channelId }, 'ticks', 'Hello again', 'Grace');
  await page.getByRole('heading', { name: 'Grace' }).waitFor();
});

t.test('a thread whose data is erased while it is open shows nothing of it any more', async t => {
  const threadId = await receive(setting, 'erased', 'My secret', 'Ada');
  const page = await open(t, threadId);
  await page.getByRole('log').getByText('My secret').waitFor();
  await skein.threads.erasePersonalData(threadId);
  await page.getByRole('heading', { name: 'Erased participant' }).waitFor();
  const pane = page.getByRole('main');
  t.equal(await pane.getByText('My secret').count(), 0);
  t.equal(await pane.getByText('Ada', { exact: true }).count(), 0);
  const row = page.getByRole('option', { name: 'Erased participant' });
  await row.getByText('Personal data erased').waitFor();
  t.equal(await page.getByText('My secret').count(), 0, 'nor in the list');
  await page.reload();
  await page.getByRole('heading', { name: 'Erased participant' }).waitFor();
  await pane.getByText(/^The personal data of this conversation was erased on /).waitFor();
  await row.getByText('Personal data erased').waitFor();
  t.equal(await page.getByText('My secret').count(), 0, 'nor after a reload');
  // The participant writes again.
  await receive(setting, 'erased', 'Here I am again', 'Ada');
  await page.getByRole('log').getByText('Here I am again').waitFor();
  const heading = page.getByRole('heading', { name: 'Ada' });
  await heading.waitFor();
  await page.getByRole('option', { name: 'Ada' }).getByText('Here I am again').waitFor();
  await page.reload();
  await heading.waitFor();
  await pane.getByText(/^The personal data of this conversation was erased on /).waitFor();
});

t.test('a thread that there is not says so', async t => {
  const page = await open(t, 'thread_00000000000000000000000000');
  await page.getByText('There is no such conversation, or you may not see it.').waitFor();
});

t.test('its link is copied, also where the browser has no clipboard for pages', async t => {
  const threadId = await receive(setting, 'linked', 'Hello');
  const page = await open(t, threadId, { permissions: ['clipboard-read', 'clipboard-write'] });
  const copy = async (): Promise<void> => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Copy link' }).click();
  };
  const said = page.getByRole('status').getByText('The link is copied');
  // As on a page by plain http.
  await page.evaluate('Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined })');
  await copy();
  await said.waitFor();
  await page.evaluate('document.execCommand = () => false');
  await copy();
  await page.getByText('It could not be copied').waitFor();
  t.equal(await said.count(), 0);
  await page.reload();
  await copy();
  await said.waitFor();
  t.match(await page.evaluate('navigator.clipboard.readText()'), new RegExp(`/all/${threadId}$`));
});

t.test('where words are longer the channel is still read whole', async t => {
  const { channelId } = await skein.channels.create({ name: 'Kundendienst', kind: 'sandbox' });
  const threadId = await receive({ skein, channelId }, 'wide', 'Guten Tag', 'Ada');
  const page = await open(t, threadId, { viewport: { width: 1_280, height: 800 }, locale: 'de-DE' });
  const name = page.getByRole('main').getByText('Kundendienst', { exact: true });
  await name.waitFor();
  await page.getByText(/^Fenster noch .* offen$/).waitFor();
  t.match(await page.getByRole('button', { name: 'Suchen' }).textContent(), /Strg K$/);
  const checkWhole = async (when: string): Promise<void> => {
    const [shown = 0, whole = 0] = await name.evaluate(element => {
      const { clientWidth, scrollWidth } = element as unknown as Record<string, number>;
      return [clientWidth, scrollWidth];
    });
    t.ok(shown > 0 && whole <= shown, `${when}: ${shown} of ${whole}`);
  };
  await checkWhole('unassigned');
  await skein.threads.assign(threadId, { userId: owner.userId });
  await page.getByRole('button', { name: /^Zugewiesen/ }).waitFor();
  await checkWhole('assigned');

  // What the server refuses is said in the same language.
  await page.route(/\/threads\/[^/]+$/, route =>
    route.fulfill({
      status: 403,
      json: { error: 'svc/auth/insufficient_scope', message: 'No.', requestId: 'req_1' },
    }),
  );
  await page.keyboard.press('e');
  await page.getByRole('alert').getByText('Ihre Rolle erlaubt das nicht.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

t.test('fits a telephone, in the dark and in German, and by the keyboard', async t => {
  const threadId = await receive(setting, 'phone', 'Guten Tag', 'Ada');
  await skein.messages.create(threadId, { body: 'Guten Tag, Ada.' });
  const page = await open(t, threadId, {
    viewport: { width: 390, height: 800 },
    colorScheme: 'dark',
    locale: 'de-DE',
  });
  await page.getByRole('log', { name: 'Nachrichten' }).getByText('Guten Tag', { exact: true }).waitFor();
  t.strictSame(await findBarriers(page), []);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  t.equal(width, 390);
  // Whoever wants no motion gets none; the others some.
  const countMoving = (): Promise<number> =>
    page.evaluate<number>(`[...document.querySelectorAll('*')].filter(element => {
      const { animationDuration, transitionDuration } = getComputedStyle(element);
      return [animationDuration, transitionDuration].some(given => given.split(',').some(each => parseFloat(each) > 0.001));
    }).length`);
  t.equal(await countMoving(), 0);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  t.ok((await countMoving()) > 0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const input = page.getByRole('textbox', { name: 'Antwort' });
  await input.focus();
  await page.keyboard.type('Gerne');
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('Gerne').waitFor();
  // Backwards from the text: the list can be reached, and scrolled by keys.
  for (let turn = 0; turn < 12; turn++) {
    await page.keyboard.press('Shift+Tab');
    if ((await page.evaluate('document.activeElement.getAttribute("role")')) === 'log') break;
  }
  t.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'log');
  // What is in the way is told in the same language.
  const reason = 'svc/chatapp/channel_not_connected';
  await page.route(/\/messages\?.*dryRun=true/, route =>
    route.fulfill({ json: { allowed: false, reason, message: 'In English.', serviceWindow: null } }),
  );
  await page.getByRole('textbox', { name: 'Antwort' }).fill('Noch etwas');
  await page.getByRole('status').getByText('Dieser Kanal ist noch nicht verbunden.').waitFor();
});
