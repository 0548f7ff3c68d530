/** What an operator writes: it is never lost and never doubled, and never typed in vain. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { findBarriers, openConsole, receive, shareConsole, verifyOwner } from './console-page.ts';
import { openClosedWindow } from './stage.ts';

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const open = (t: Parameters<typeof openConsole>[0], threadId: string): Promise<Page> =>
  openConsole(t, browser, setting, owner, { path: toPath(threadId) });
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });
const getInput = (page: Page) => page.getByRole('textbox', { name: 'Reply' });

async function write(page: Page, text: string): Promise<void> {
  await getInput(page).fill(text);
  await page.keyboard.press('Enter');
}

/** What the operators wrote, as anybody reads it. */
async function readBodies(api: typeof skein, threadId: string): Promise<string[]> {
  const messages = await api.messages.list(threadId, { limit: 100 }).toArray();
  return messages.filter(({ direction }) => direction === 'outbound').map(({ body }) => body);
}

t.test('what is written is kept by thread, and sent by one key', async t => {
  const [threadId, otherId] = [await receive(setting, 'ada', 'Hello'), await receive(setting, 'grace', 'Hi')];
  const page = await open(t, threadId);
  const input = getInput(page);
  await input.fill('Half a sent');
  await page.reload();
  await getLog(page).getByText('Hello').waitFor();
  t.equal(await input.inputValue(), 'Half a sent');
  await page.goto(setting.baseUrl + toPath(otherId));
  await getLog(page).getByText('Hi').waitFor();
  t.equal(await input.inputValue(), '');
  await page.goto(setting.baseUrl + toPath(threadId));
  await input.focus();
  await page.keyboard.press('End');
  await page.keyboard.type('ence.');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('And another.');
  await page.keyboard.press('Enter');
  await getLog(page).getByRole('img', { name: 'Sent' }).waitFor();
  t.equal(await input.inputValue(), '');
  t.strictSame(await readBodies(skein, threadId), ['Half a sentence.\nAnd another.']);

  await page.getByRole('button', { name: 'What sends a message' }).click();
  await page.getByRole('menuitemradio', { name: 'Ctrl Enter sends' }).click();
  await input.fill('first');
  await page.keyboard.press('Enter');
  await page.keyboard.type('second');
  await page.keyboard.press('Control+Enter');
  // The log shows it before the server has it.
  await eventually('second message', async () => (await readBodies(skein, threadId)).length > 1);
  t.equal((await readBodies(skein, threadId)).at(-1), 'first\nsecond');
});

t.test('a canned reply is chosen by its shortcut, with the names filled in', async t => {
  await owner.api.cannedReplies.create({
    projectId,
    shortcut: '/thanks',
    title: 'Thanks',
    body: 'Thank you, {{ participant.name }}.',
  });
  const threadId = await receive(setting, 'canned', 'Hello', 'Grace');
  const page = await open(t, threadId);
  await getLog(page).getByText('Hello').waitFor();
  await getInput(page).pressSequentially('/tha');
  const choice = page
    .getByRole('listbox', { name: 'Canned replies' })
    .getByRole('option', { name: '/thanks' });
  await choice.waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.keyboard.press('Enter');
  t.equal(await getInput(page).inputValue(), 'Thank you, Grace.');
  // The next one is asked for at the same place.
  await getInput(page).press('Control+Enter');
  await page.getByRole('log', { name: 'Messages' }).getByText('Grace').first().waitFor();
  await getInput(page).pressSequentially('/tha');
  await page.getByRole('option', { name: '/thanks' }).waitFor();
  await getInput(page).press('Escape');
  await page.getByRole('option', { name: '/thanks' }).waitFor({ state: 'detached' });
  await getInput(page).fill('');
  await getInput(page).pressSequentially('/tha');
  await page.getByRole('option', { name: '/thanks' }).waitFor();

  // Where they cannot be read, the text can be sent as it is.
  await page.route(/\/canned-replies/, route =>
    route.fulfill({
      status: 500,
      json: { error: 'svc/runtime/internal_error', message: 'It broke.', requestId: 'req_1' },
    }),
  );
  await page.reload();
  await getLog(page).getByText('Hello').waitFor();
  await getInput(page).fill('/x');
  await page.getByText('Canned replies cannot be read.').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await getLog(page).getByText('/x', { exact: true }).waitFor();
});

t.test('what waits is sent while its operator looks at other pages', async t => {
  const threadId = await receive(setting, 'elsewhere', 'Hello');
  const page = await open(t, threadId);
  await getLog(page).getByText('Hello').waitFor();
  const openSettings = async (): Promise<void> => {
    await page.getByRole('button', { name: /: settings and sign out$/ }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  };
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/messages$/, async route => {
    await held.promise;
    await route.fallback();
  });
  for (const text of ['one', 'two']) await write(page, text);
  await openSettings();
  const waiting = page.getByRole('status').getByText('1 waiting to be sent');
  await waiting.waitFor();
  held.resolve(undefined);
  await eventually('both messages', async () => (await readBodies(skein, threadId)).length === 2);
  await waiting.waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'wait' });
  await page.goBack();
  await getLog(page).getByRole('img', { name: 'Sent' }).nth(1).waitFor();
  t.strictSame(await readBodies(skein, threadId), ['one', 'two']);
});

t.test('what the server refuses stays, with its reason, until the operator decides', async t => {
  const threadId = await receive(setting, 'refused', 'Hello');
  const page = await open(t, threadId);
  await getLog(page).getByText('Hello').waitFor();
  await page.route(/\/messages$/, route =>
    route.fulfill({
      status: 409,
      json: { error: 'svc/runtime/conflict', message: 'Not at this moment.', requestId: 'req_1' },
    }),
  );
  await write(page, 'first');
  await getLog(page).getByText('Not sent: Not at this moment.').waitFor();
  await write(page, 'second');
  await getLog(page).getByText('Waiting for the previous message').waitFor();
  const stay = async (leave: () => Promise<unknown>, leaver = page): Promise<string> => {
    const [dialog] = await Promise.all([
      leaver.waitForEvent('dialog').then(async asked => {
        await asked.dismiss();
        return asked;
      }),
      leave(),
    ]);
    return dialog.type();
  };
  await page.getByRole('button', { name: /: settings and sign out$/ }).click();
  const signOut = page.getByRole('menuitem', { name: 'Sign out' });
  t.equal(await stay(() => signOut.click()), 'confirm', 'signing out would discard it');
  t.equal(await stay(() => page.close({ runBeforeUnload: true })), 'beforeunload', 'and so would closing it');
  for (const path of ['/console/account', '/studio/account']) {
    const other = await page.context().newPage();
    // What asks is loaded behind the page: whoever is faster is asked as well.
    const clicked = Promise.withResolvers<undefined>();
    let held = 0;
    await other.route(/\/assets\/(unsent-watch|watches)-[^/]*\.js$/, async route => {
      held++;
      await clicked.promise;
      await route.continue();
    });
    await other.goto(`${setting.baseUrl}${path}`);
    await other
      .getByRole('listitem')
      .filter({ hasText: 'This session' })
      .getByRole('button', { name: /^End the session/ })
      .click({ trial: true });
    const end = other.getByRole('listitem').filter({ hasText: 'This session' }).getByRole('button');
    t.equal(
      await stay(() => end.click().then(() => clicked.resolve(undefined)), other),
      'confirm',
      `and so would the end of the session by ${path}`,
    );
    t.equal(held, 1, 'what asks was held');
    await other.close();
  }
  await page.unrouteAll({ behavior: 'wait' });
  await getLog(page).getByRole('button', { name: 'Send again' }).click();
  await getLog(page).getByRole('img', { name: 'Sent' }).nth(1).waitFor();
  t.strictSame(await readBodies(skein, threadId), ['first', 'second']);
});

/** As in the background: the page is never said to be shown. The timer that takes it for shown after 10 s is left out. */
const neverShown = `
  requestIdleCallback = () => 0;
  const { setTimeout: schedule } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) => (ms === 10_000 ? 0 : schedule(work, ms, ...rest));
`;

t.test('closing the tab is asked about as soon as something waits', async t => {
  const threadId = await receive(setting, 'hurried', 'Hello');
  const page = await openConsole(t, browser, setting, owner, { path: '/console/settings' });
  await page.context().addInitScript(neverShown);
  const asksFor: string[] = [];
  page.on('request', request => asksFor.push(request.url()));
  await page.route(/\/messages$/, route =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.goto(setting.baseUrl + toPath(threadId));
  await getLog(page).getByText('Hello').waitFor();
  const isAsked = (): boolean => asksFor.some(url => url.includes('/unsent-watch-'));
  t.notOk(isAsked(), 'nothing waits');
  await write(page, 'On its way');
  await eventually('what asks', async () => isAsked());
  // Loaded by what asks, in the moment in which it begins to.
  await eventually('that it has begun', () =>
    page.evaluate<boolean>(
      `performance.getEntriesByType('resource').some(({ name }) => name.includes('/en-errors-'))`,
    ),
  );
  const [dialog] = await Promise.all([
    page.waitForEvent('dialog').then(async asked => {
      await asked.dismiss();
      return asked;
    }),
    page.close({ runBeforeUnload: true }),
  ]);
  t.equal(dialog.type(), 'beforeunload');
  await page.unrouteAll({ behavior: 'wait' });
  await getLog(page).getByRole('img', { name: 'Sent' }).waitFor();
});

t.test('an archived conversation takes no messages', async t => {
  const threadId = await receive(setting, 'archived', 'Hello');
  await skein.threads.archive(threadId);
  const page = await open(t, threadId);
  await page.getByText('Archived conversations take no messages.').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Restore from the archive' }).click();
  await getInput(page).waitFor();
});

t.test('says of the text itself that it would not be sent, by the last of its questions', async t => {
  const threadId = await receive(setting, 'checked', 'Hello');
  const page = await open(t, threadId);
  await getLog(page).getByText('Hello').waitFor();
  // The first answer comes after the last one.
  let asked = 0;
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/messages\?.*dryRun=true/, async route => {
    const { body } = route.request().postDataJSON() as { body: string };
    if (body === '.') return route.continue();
    asked++;
    if (body === 'first') await held.promise;
    const json = {
      allowed: false,
      reason: 'svc/validation/invalid_request',
      message: `Not ${body}.`,
      maxTextLength: 20,
      serviceWindow: null,
    };
    await route.fulfill({ json }).catch(() => undefined);
  });
  await getInput(page).fill('first');
  await eventually('question', async () => asked === 1);
  await getInput(page).fill('second');
  await page.getByText('This would not be sent: Not second.').waitFor();
  held.resolve(undefined);
  t.strictSame(await findBarriers(page), []);
  await getInput(page).fill('x'.repeat(21));
  await page.getByText('1 character too many').waitFor();
  t.ok(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled());
  t.equal(await page.getByText('Not first.').count(), 0);
});

t.test(
  'where the window is closed templates open by themselves, and leave the keys of the list alone',
  async t => {
    await verifyOwner(setting);
    const { provider } = setting;
    const sentBefore = provider.messages.sent.length;
    const threadId = await openClosedWindow(setting, provider);
    const besideId = await receive(setting, 'neighbour', 'Beside it');
    const page = await open(t, threadId);
    const templates = page.getByRole('region', { name: 'Templates' });
    const offer = templates.getByRole('button', { name: /^autumn_sale/ });
    await offer.waitFor();
    await templates.getByText('its header is a LOCATION, which only the API can fill').waitFor();
    await page.keyboard.press('k');
    await page.waitForURL(url => !url.pathname.endsWith(threadId));
    await templates.waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.waitForURL(url => url.pathname.endsWith(threadId));
    await offer.waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No conversation selected').waitFor();

    await page.getByRole('option', { name: 'Tomás Herrera' }).click();
    await offer.waitFor();
    await page.getByRole('button', { name: 'Close the templates' }).click();
    await templates.waitFor({ state: 'detached' });
    // Closed once, they stay closed, whatever is written.
    await page.getByText('Note', { exact: true }).last().click();
    await page.getByText('Reply', { exact: true }).last().click();
    await getInput(page).fill('x'.repeat(5_000));
    await page.getByText('904 characters too many').waitFor();
    await getInput(page).fill('');
    const choose = page.getByRole('button', { name: 'Choose a template' });
    await choose.waitFor();
    t.equal(await templates.count(), 0);

    await choose.click();
    await page.keyboard.type('cheaper');
    await templates.getByRole('button', { name: /^order_sent/ }).waitFor({ state: 'detached' });
    await offer.click();
    const send = templates.getByRole('button', { name: 'Send template' });
    const link = templates.getByLabel('Link of the picture');
    await link.fill('cup.png');
    await templates.getByLabel('Value of {{first_name}}').fill('Tomás');
    await templates.getByText('A link begins with https://').waitFor();
    await templates.getByLabel('End of the address that “See the offers” opens').fill('cups');
    await templates.getByText('https://shop.example/sale/cups').waitFor();
    await templates.getByLabel('Code that “Copy the code” copies').fill('AUTUMN');
    t.ok(await send.isDisabled());
    // What is filled in stays, closed, elsewhere and over a reload, and takes nobody's keys when it is there again.
    await link.press('Escape');
    await templates.waitFor({ state: 'detached' });
    await choose.click();
    await page.waitForFunction(`document.activeElement?.value === 'cup.png'`);
    await page.reload();
    await link.waitFor();
    await page.keyboard.press('k');
    await page.waitForURL(url => !url.pathname.endsWith(threadId));
    await page.getByRole('option', { name: 'Tomás Herrera' }).getByText('Draft').waitFor();
    await page.keyboard.press('j');
    await templates.getByText('https://shop.example/sale/cups').waitFor();
    t.equal(await link.inputValue(), 'cup.png');
    // Going back to choose the same again takes nothing away either.
    await templates.getByRole('button', { name: 'All templates' }).click();
    await offer.click();
    t.equal(await templates.getByLabel('Code that “Copy the code” copies').inputValue(), 'AUTUMN');
    await link.fill('https://shop.example/cup.png');
    await send.click();
    const body =
      '[image]\n\nDear Tomás, everything is cheaper until Sunday.\n\nAnswer STOP to hear no more of it.';
    await getLog(page).getByText('Dear Tomás').waitFor();
    await eventually('template', async () => provider.messages.sent.length > sentBefore);
    t.strictSame(await readBodies(skein, threadId), [body]);
    await templates.waitFor({ state: 'detached' });
    t.equal(await page.evaluate(`JSON.stringify(localStorage).includes('AUTUMN')`), false);

    // A window that ends and begins is followed while it is looked at, and so is who writes.
    await page.getByRole('option', { name: /Beside it/ }).click();
    await getLog(page).getByText('Beside it').waitFor();
    const closed = page.getByText('The window of this conversation is closed: only templates can be sent.');
    t.equal(await closed.count(), 0);
    await skein.channels.simulate(setting.channelId, { event: 'window_expired', threadId: besideId });
    await closed.waitFor();
    await receive(setting, 'neighbour', 'Still here', 'Nina Berg');
    await closed.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Nina Berg', level: 1 }).waitFor();
    await page.getByRole('option', { name: /Nina Berg/ }).waitFor();
  },
);
