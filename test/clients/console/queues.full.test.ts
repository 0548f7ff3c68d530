/** Subjects, what is written and not sent, snoozing until a time of one's own, and several at once. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const operator = await addOperator(setting);
const { projectId, environmentId, skein } = setting;
const place = `/console/${projectId}/${environmentId}`;
const ada = await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
const grace = await receive(setting, 'grace', 'Hello', 'Grace Hopper');
await skein.threads.update(ada, { subject: 'Order 4711' });
await skein.threads.assign(ada, { userId: operator.userId });

t.test('a subject is shown in the list and above the conversation', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all` });
  await page.getByRole('option', { name: /Order 4711/ }).click();
  await page.getByRole('main').getByText('Order 4711').waitFor();
});

t.test('what is written, waits or was refused is marked in the list, and counted above', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all` });
  await page.getByRole('option', { name: /Ada Byron/ }).click();
  const composer = page.getByRole('textbox', { name: /reply/i });
  await composer.fill('One moment');
  t.equal(await page.getByRole('option', { name: /Draft/ }).count(), 0, 'it can be seen in the open thread');
  await page.getByRole('option', { name: /Grace Hopper/ }).click();
  await page.getByRole('option', { name: /Ada Byron.*Draft/ }).waitFor();

  await page.route('**/v1/threads/*/messages*', route =>
    route.request().method() === 'POST' ? route.abort('connectionrefused') : route.fallback(),
  );
  await page.getByRole('textbox', { name: /reply/i }).fill('Good morning');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: /Grace Hopper.*Waiting to send/ }).waitFor();
  await page.getByRole('status').filter({ hasText: '1 waiting to be sent' }).waitFor();
  await page.unroute('**/v1/threads/*/messages*');
  await page.getByRole('status').filter({ hasText: '1 waiting to be sent' }).waitFor({ state: 'detached' });
  // It has begun to leave, and arrives a moment later.
  await eventually('message that waited', async () => {
    const { data } = await skein.messages.list(grace, { limit: 1, order: 'desc' });
    return data[0]?.body === 'Good morning';
  });
});

t.test('what happens between the first count and the stream is counted', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: '/console/settings' });
  const mayConnect = Promise.withResolvers<undefined>();
  await page.routeWebSocket(/events\/stream/, async socket => {
    await mayConnect.promise;
    socket.connectToServer();
  });
  await page.goto(`${setting.baseUrl}${place}/all`);
  await page.getByRole('link', { name: 'Mine 1', exact: true }).waitFor();
  await skein.threads.assign(grace, { userId: operator.userId });
  mayConnect.resolve(undefined);
  await page.getByRole('link', { name: 'Mine 2', exact: true }).waitFor({
    // Sooner than it is asked for each minute.
    timeout: 20_000,
  });
  await skein.threads.assign(grace, { userId: null });
});

t.test('which windows close soon, and how many, is asked again each minute', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: '/console/settings' });
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.clock.install();
  await page.goto(`${setting.baseUrl}${place}/closing`);
  await page.getByText('No window closes within the next two hours.').waitFor();
  const asked = Promise.all(
    [/[?&]windowClosesBefore=/, /\/queues(?:\?|$)/].map(address => page.waitForRequest(address)),
  );
  await page.clock.fastForward(61_000);
  t.equal((await asked).length, 2);
});

t.test('of an outbox that is damaged the rest is sent, and the operator told what is lost', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: '/console/settings' });
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  const keep = (body: string, attachments: readonly unknown[]) => ({
    key: `key-of-${body}`,
    threadId: grace,
    content: { kind: 'message', body, attachments },
    queuedAt: Date.now(),
    state: 'sending',
  });
  const kept = JSON.stringify([keep('Damaged', [null]), 'rubbish', keep('Whole', [])]);
  const place = `skein-outbox:${operator.userId}:${projectId}:${environmentId}`;
  await page.evaluate(`sessionStorage.setItem(${JSON.stringify(place)}, ${JSON.stringify(kept)})`);
  await page.goto(`${setting.baseUrl}/console/${projectId}/${environmentId}/all/${grace}`);
  await page.getByRole('log').getByText('Whole', { exact: true }).waitFor();
  const told = page.getByRole('alert', { name: '2 unsent messages are damaged' });
  const left = told.getByRole('textbox', { name: 'What can still be read' });
  t.equal(await left.inputValue(), 'Damaged\n\nrubbish');
  t.strictSame(await findBarriers(page), []);
  await eventually('whole message that was sent', async () => {
    const { data } = await skein.messages.list(grace);
    return data.filter(({ body }) => body === 'Whole').length === 1;
  });
  await told.getByRole('button', { name: 'Dismiss' }).click();
  await told.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('log').getByText('Whole', { exact: true }).waitFor();
  t.equal(await page.getByRole('log').getByText('Damaged').count(), 0);
  await page.getByRole('option', { name: /Ada Byron/ }).click();
  await page.getByRole('textbox', { name: /reply/i }).waitFor();
  t.equal(await told.count(), 0, 'what was told is not told again');
});

t.test('a conversation is snoozed until a date and a time', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all/${ada}` });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Until a date and time …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Snooze until' });
  await dialog.getByLabel('Date and time').fill('2020-01-01T10:00');
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await dialog.getByText('Choose a time in the future, within a year.').waitFor();
  t.strictSame(await findBarriers(page), []);
  const year = new Date().getUTCFullYear();
  const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel('Date and time').fill(`${day}T09:30`);
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually('snoozed', async () => {
    const { snoozedUntil } = await skein.threads.get(ada);
    return typeof snoozedUntil === 'string' && new Date(snoozedUntil).getUTCFullYear() >= year;
  });
  const sleeping = page.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name: /^Snoozed/ });
  await sleeping.getByText('1', { exact: true }).waitFor();
  await sleeping.click();
  await page
    .getByRole('option', { name: /Ada Byron/ })
    .getByText('wakes in')
    .waitFor();
  await skein.threads.update(ada, { snoozedUntil: null });
  await sleeping.getByText('1', { exact: true }).waitFor({ state: 'detached' });
});

t.test('several conversations are snoozed at once, and woken', async t => {
  const page = await openConsole(t, browser, setting, operator, { path: `${place}/all` });
  const getRow = (name: string) => page.getByRole('option', { name });
  for (const name of ['Ada Byron', 'Grace Hopper']) await getRow(name).click({ modifiers: ['Control'] });
  await page.getByText('2 selected').waitFor();
  const bar = page.getByRole('toolbar', { name: 'Selected conversations' });
  const from = Date.now();
  await bar.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'For a week' }).click();
  // Over the list no row would move.
  await page.mouse.move(0, 0);
  await page.getByText('No open conversations.').waitFor();
  for (const threadId of [ada, grace]) {
    const { snoozedUntil } = await skein.threads.get(threadId);
    const days = (Date.parse(String(snoozedUntil)) - from) / 86_400_000;
    t.ok(days > 6 && days < 8, `for a week: ${days} days`);
  }
  await page.getByRole('link', { name: 'Snoozed' }).click();
  await getRow('Grace Hopper').waitFor();
  await getRow('Ada Byron').click({ modifiers: ['Control'] });
  await page.getByText('1 selected').waitFor();
  await bar.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'Wake' }).click();
  await page.mouse.move(0, 0);
  await getRow('Ada Byron').waitFor({ state: 'detached' });
  t.equal(await page.getByRole('option').count(), 1, 'the other one sleeps on');
  t.equal((await skein.threads.get(ada)).snoozedUntil, null);
});
