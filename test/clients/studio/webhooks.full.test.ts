/** A webhook through its life in Studio: changed, disabled, given a new secret, archived, restored; its health and its replays. Keys, too. */
import t from 'tap';
import { Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import {
  expectNoBarriers,
  findBarriers,
  openConsole,
  receive,
  shareConsole,
  verifyOwner,
} from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId, environmentId } = setting;
const { stitch } = await skein.stitches.create({ name: 'Shop', webhookUrl: 'https://example.com/hook' });
const { stitchId } = stitch;
const browser = await startChromium(t);
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;

t.test('a webhook is changed, disabled, given a new secret, archived and restored', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at(`/webhooks/${stitchId}`) });
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://example.com/orders');
  // A colleague renames it meanwhile.
  await skein.stitches.update(stitchId, { name: 'Orders' });
  await dialog.getByText('Selected events').click();
  await dialog.getByRole('checkbox', { name: 'Everything about thread' }).check();
  t.strictSame(await findBarriers(page), []);
  // The page has read it anew, behind the dialog.
  await page.getByText('Orders', { exact: true }).first().waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  t.match(await skein.stitches.get(stitchId), {
    name: 'Orders',
    webhookUrl: 'https://example.com/orders',
    eventNames: ['thread.*'],
  });

  await page.getByRole('button', { name: 'Disable' }).click();
  await dialog.getByText('is not sent later').waitFor();
  t.equal((await skein.stitches.get(stitchId)).status, 'active', 'nothing yet');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();

  await page.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByRole('combobox', { name: 'The old secret works for' }).click();
  await page.getByRole('option', { name: '24 hours' }).click();
  const held = Promise.withResolvers<undefined>();
  await page.route(/\/rotate-secret$/, async route => {
    await held.promise;
    await route.fallback();
  });
  await dialog.getByRole('button', { name: 'New secret' }).click();
  // While it is being made, nothing closes what is to show it.
  await page.keyboard.press('Escape');
  await page.mouse.click(4, 4);
  t.ok(await dialog.getByRole('button', { name: 'Close' }).isDisabled());
  held.resolve(undefined);
  await dialog
    .getByRole('timer')
    .getByText(/23:59:\d\d/)
    .waitFor();
  t.strictSame(await findBarriers(page), []);
  const secret = (await dialog.locator('code').textContent()) ?? '';
  t.match(secret, /^whsec_/);
  await page.keyboard.press('Escape');
  t.ok(await dialog.locator('code').isVisible(), 'no key that is pressed by the way takes it away');
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.notOk((await page.content()).includes(secret), 'nothing is left of the secret');

  await page.getByRole('button', { name: 'Archive' }).click();
  await dialog.getByRole('textbox').fill('Orders');
  await dialog.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('This webhook is archived').waitFor();
  t.equal(await page.getByRole('button', { name: 'Send a test' }).count(), 0);
  await expectNoBarriers(t, page, 'archived');
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Send a test' }).waitFor();
  t.equal((await skein.stitches.get(stitchId)).archivedAt, null);
});

t.test('what the server refuses is said with the request and where it is explained', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at(`/webhooks/${stitchId}`) });
  await page.getByRole('button', { name: 'Send a test' }).waitFor();
  await skein.stitches.archive(stitchId);
  await page.getByRole('button', { name: 'Send a test' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText(/Request req_/).waitFor();
  t.match(await alert.getByRole('link').getAttribute('href'), /\/docs\/errors/);
});

t.test('a key gets another name, and a new secret with a grace that is counted down', async t => {
  await owner.api.apiKeys.create({ projectId, name: 'Spare', environment: 'test', scopes: ['threads:read'] });
  const page = await openConsole(t, browser, setting, owner, { path: at('/keys') });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Change Spare' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Backend');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Change Backend' }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  await dialog
    .getByRole('timer')
    .getByText(/59:\d\d/)
    .waitFor();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();

  // The old one ends before its time where that is wanted.
  const old = page.getByRole('row').filter({ hasText: 'Being replaced' });
  await old.getByRole('button', { name: 'Change Backend' }).click();
  const revoke = page.getByRole('menuitem', { name: 'Revoke' });
  await revoke.waitFor();
  t.equal(await page.getByRole('menuitem').count(), 1);
  await revoke.click();
  await dialog.getByRole('textbox').fill('Backend');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row').filter({ hasText: 'Revoked' }).getByText('Backend').waitFor();
});

t.test('what a key may do is chosen by what it is for, and one by one', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('/keys') });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Reports');
  // A click beside it takes nothing away.
  await page.mouse.click(4, 4);
  const preset = dialog.getByRole('combobox', { name: 'Made for' });
  t.equal(await preset.inputValue(), 'Conversations');
  await preset.click();
  await page.getByRole('option', { name: 'Read only' }).click();
  const box = (scope: string) => dialog.getByRole('checkbox', { name: scope, exact: true });
  t.ok(await box('messages:read').isChecked());
  t.notOk(await box('messages:write').isChecked());
  await box('usage:read').check();
  await box('tools:read').uncheck();
  t.equal(await preset.inputValue(), 'Custom');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  const made = (await owner.api.apiKeys.list({ projectId }).toArray(10)).find(
    ({ name }) => name === 'Reports',
  );
  t.strictSame([...(made?.scopes ?? [])].sort(), [
    'agents:read',
    'channels:read',
    'messages:read',
    'threads:read',
    'usage:read',
    'webhooks:read',
  ]);
});

t.test('its health is shown, its deliveries are filtered, and what failed is delivered again', async t => {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  // Gone for good: the delivery fails at once, and the webhook is disabled.
  receiver.behaviour = answer(410);
  const { stitchId: failing } = (
    await skein.stitches.create({
      name: 'Failing',
      webhookUrl: receiver.url('/one'),
      eventNames: ['thread.message.received'],
    })
  ).stitch;
  const { stitchId: other } = (
    await skein.stitches.create({
      name: 'Other',
      webhookUrl: receiver.url('/two'),
      eventNames: ['thread.note.created'],
    })
  ).stitch;
  const page = await openConsole(t, browser, setting, owner, { path: at(`/webhooks/${failing}`) });
  const dialog = page.getByRole('dialog');
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText('nothing is waiting').waitFor();
  t.strictSame(await findBarriers(page), []);

  await receive(setting, 'ada', 'Hello?');
  await page.getByRole('table').getByText('Failed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await health.getByText('0%', { exact: true }).waitFor();
  await health.getByRole('img', { name: 'Attempts by hour: 1 in total, 1 failed' }).waitFor();

  receiver.behaviour = answer(204);
  await page.getByRole('button', { name: 'Deliver again' }).click();
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Deliver again' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('table').getByText('Delivered', { exact: true }).waitFor();

  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await page.getByRole('table').getByText('Delivered', { exact: true }).waitFor({ state: 'detached' });
  const name = page.getByRole('textbox', { name: 'Event name' });
  await name.fill('thread.lifecycle.closed');
  await name.press('Enter');
  await page.getByText('Nothing matches these filters.').waitFor();
  t.match(new URL(page.url()).search, /status=failed/, 'filters stand in the address');
  await name.fill('thread.message.received');
  await name.press('Enter');
  const since = page.getByLabel('From', { exact: true });
  await since.fill('2026-01-01T10:00');
  await since.press('Enter');
  await page.getByRole('button', { name: 'thread.message.received' }).click();
  t.match(decodeURIComponent(page.url()), /since="?2026-01-01T/);
  // What is shown of the request is what the receiver got.
  await dialog.getByText('Request', { exact: true }).click();
  const request = await dialog.getByRole('group', { name: 'Request of attempt 1' }).innerText();
  t.match(request, `POST ${receiver.url('/one')}`);
  const [{ headers = {} } = {}] = receiver.received;
  for (const name of [
    'content-type',
    'user-agent',
    'service-event-id',
    'service-delivery-id',
    'service-attempt',
    'webhook-id',
    'webhook-timestamp',
  ]) {
    t.match(request.toLowerCase(), `${name}: ${String(headers[name])}`.toLowerCase());
  }
  await dialog.getByText('its address may have been different').waitFor();
  t.strictSame(await findBarriers(page), []);

  await dialog.getByRole('combobox', { name: 'Send it to' }).click();
  await page.getByRole('option', { name: 'Other' }).click();
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('heading', { name: 'Other' }).waitFor();
  await dialog.getByText('Responded 204').waitFor();
  t.match(page.url(), other);
  await page.keyboard.press('Escape');

  await page.goto(`${setting.baseUrl}${at(`/webhooks/${failing}`)}`);
  await page.getByRole('button', { name: 'Deliver again' }).click();
  await dialog.getByRole('radio', { name: 'Everything in a time range' }).check();
  await dialog.getByRole('combobox', { name: 'Send it to' }).click();
  await page.getByRole('option', { name: 'Other' }).click();
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByRole('heading', { name: 'Other' }).waitFor();
  const arrived = () => receiver.received.filter(({ path }) => path === '/two').length;
  await eventually('the range at the other webhook', async () => arrived() >= 2);
});

t.test('what has failed is delivered again, of all webhooks at once', async t => {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  receiver.behaviour = answer(410);
  const { stitchId: gone } = (
    await skein.stitches.create({
      name: 'Gone',
      webhookUrl: receiver.url('/gone'),
      eventNames: ['thread.message.received'],
    })
  ).stitch;
  await receive(setting, 'ada', 'Is anybody there?');
  await eventually('it has failed', async () => (await skein.stitches.get(gone)).status === 'disabled');
  receiver.behaviour = answer(204);
  const page = await openConsole(t, browser, setting, owner, { path: at('/webhooks') });
  const dialog = page.getByRole('dialog', { name: 'Deliver failed events again' });
  const found = dialog.getByRole('listitem').filter({ hasText: 'Gone' });
  const deliverAgain = async (): Promise<void> => {
    await page.getByRole('main').getByRole('button', { name: 'Deliver failed events again' }).click();
    await dialog.getByRole('button', { name: 'Deliver again' }).click();
  };
  await deliverAgain();
  await found.getByText('nothing is delivered again').waitFor();
  await expectNoBarriers(t, page);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await skein.stitches.update(gone, { status: 'active' });
  await deliverAgain();
  await found.getByText('is delivered again').waitFor();
  await eventually('it has come', () => Promise.resolve(receiver.received.length === 2));
  await found.getByRole('link', { name: 'Gone' }).click();
  await page.getByRole('heading', { name: 'Gone' }).waitFor();
});

t.test('what became of a message is found by whatever is known of it', async t => {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  receiver.behaviour = answer(503, {}, 'out of order');
  await skein.stitches.create({
    name: 'Orders',
    webhookUrl: receiver.url('/orders'),
    eventNames: ['channel.message.requested'],
  });
  const { channelId } = await skein.channels.create({ name: 'Bridge', kind: 'custom' });
  const threadId = await receive({ skein, channelId }, '+49 151 4711', 'Where is it?');
  const { messageId } = await skein.messages.create(threadId, { body: 'On <b>its</b> way.' });
  const receipt = { messageId, externalMessageId: 'theirs-4711', occurredAt: new Date().toISOString() };
  await skein.channels.recordReceipt(channelId, { ...receipt, status: 'sent' });
  await skein.channels.recordReceipt(channelId, {
    ...receipt,
    status: 'failed',
    error: { code: '131026', message: 'Not on our network' },
  });

  const page = await openConsole(t, browser, setting, owner, { path: at('/messages') });
  const dialog = page.getByRole('dialog', { name: 'Message timeline' });
  const field = page.getByRole('textbox', { name: 'Message, conversation or participant' });
  const timeline = dialog.getByRole('list', { name: 'Message timeline' });
  const look = async (q: string): Promise<void> => {
    await field.fill(q);
    await page.getByRole('button', { name: 'Find' }).click();
  };
  const leave = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };

  // Its own id leads straight to it; the same from the palette, wherever one is.
  await look(messageId);
  await dialog.getByText('On <b>its</b> way.').waitFor();
  await timeline.getByText('131026 · Not on our network').waitFor();
  t.match(
    (await timeline.locator('b').allInnerTexts()).join(),
    'Written,Given to the channel,Sent,Not delivered',
  );
  await timeline.getByText('Webhook Orders').click();
  // On a slow machine there is a second attempt already.
  await timeline.getByText('Responded 503').first().waitFor();
  await timeline.getByText('out of order').first().waitFor();
  await expectNoBarriers(t, page);
  await page.setViewportSize({ width: 390, height: 780 });
  t.notOk(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), 'it fits a phone');
  await page.setViewportSize({ width: 1_280, height: 800 });
  await leave();

  // By the provider's id, by the conversation, and by the participant, as their number is written anywhere.
  await look('theirs-4711');
  await page.getByRole('table', { name: 'Messages' }).getByRole('button').click();
  await dialog.getByText('theirs-4711').waitFor();
  await leave();
  for (const q of [threadId, '+49 151 4711']) {
    await look(q);
    await page.getByRole('table', { name: 'Messages' }).getByText('Where is it?').waitFor();
    t.equal(await page.getByRole('row').count(), 3, 'its head and two messages');
  }
  await look('nobody-knows-it');
  await page.getByText('Nothing matches “nobody-knows-it” in this environment.').waitFor();
  t.strictSame(await findBarriers(page), []);

  // From the log of events.
  await page.goto(`${setting.baseUrl}${at(`/events?name=channel.message.delivery_failed`)}`);
  await page.getByRole('table').getByRole('button', { name: 'channel.message.delivery_failed' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Message timeline' }).click();
  await dialog.getByText('On <b>its</b> way.').waitFor();
  await leave();
  const [delivery] = await skein.deliveries
    .list({ limit: 1, eventName: 'channel.message.requested' })
    .toArray(1);
  for (const [pasted, option] of [
    [messageId, 'Timeline of this message'],
    [threadId, 'The messages of this conversation'],
    [delivery?.deliveryId ?? '', 'This delivery'],
    ['theirs-4711', 'Messages of “theirs-4711”'],
  ] as const) {
    await page.goto(`${setting.baseUrl}${at('/keys')}`);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to …' }).fill(` ${pasted} `);
    await page.getByRole('option', { name: option }).click();
    await page.waitForURL(url => decodeURIComponent(url.search).includes(pasted));
  }
  await page.getByRole('table', { name: 'Messages' }).getByText('On <b>its</b> way.').waitFor();
});

t.test('messages that a provider has named alike are those of the environment', async t => {
  const { baseUrl } = setting;
  await verifyOwner(setting);
  const { environmentId: live } = await owner.api.environments.create({ projectId, name: 'Live' });
  const { accessToken } = await new Skein({ apiKey: null, baseUrl }).auth.login({
    email: owner.email,
    password: 'correct horse battery',
  });
  for (const [place, body] of [
    [environmentId, 'In the sandbox.'],
    [live, 'In production.'],
  ] as const) {
    const { channels, messages } = new Skein({
      apiKey: accessToken,
      baseUrl,
      projectId,
      environmentId: place,
    });
    const { channelId } = await channels.create({ name: 'Twin', kind: 'custom' });
    const threadId = await receive({ skein: { channels }, channelId }, 'ann', 'Which is it?');
    const { messageId } = await messages.create(threadId, { body });
    const externalMessageId = 'theirs-alike';
    const occurredAt = new Date().toISOString();
    await channels.recordReceipt(channelId, { messageId, externalMessageId, occurredAt, status: 'sent' });
  }
  const page = await openConsole(t, browser, setting, owner, { path: at('/messages?q=theirs-alike') });
  const table = page.getByRole('table', { name: 'Messages' });
  await table.getByText('In the sandbox.').waitFor();
  await page.getByRole('combobox', { name: 'Project and environment' }).click();
  await page.getByRole('option', { name: /Live/ }).click();
  // The links still lead to the environment of before until the page of this one is drawn.
  await page.getByRole('heading', { level: 1, name: /Live/ }).waitFor();
  await page.getByRole('link', { name: 'Messages' }).click();
  await page.getByRole('textbox', { name: 'Message, conversation or participant' }).fill('theirs-alike');
  await page.getByRole('button', { name: 'Find' }).click();
  await table.getByText('In production.').waitFor();
  t.equal(await table.getByText('In the sandbox.').count(), 0);
});

t.test('what has a name that nobody can see or type is opened, and archived', async t => {
  const named = (name: string) => skein.stitches.create({ name, webhookUrl: 'https://example.com/odd' });
  const { stitch: unseen } = await named(' \u200b\u202e');
  const { stitch: untyped } = await named('Odd\n\u202ename\u200b');
  const page = await openConsole(t, browser, setting, owner, { path: at('/webhooks') });
  const dialog = page.getByRole('dialog');
  const archive = dialog.getByRole('button', { name: 'Archive' });
  const open = async (id: string): Promise<void> => {
    await page.locator(`a[href$="${id}"]`).click();
    await page.getByRole('button', { name: 'Archive' }).click();
  };
  await page.getByRole('link', { name: unseen.stitchId }).waitFor();
  t.strictSame(await findBarriers(page), []);
  await open(unseen.stitchId);
  t.strictSame(await findBarriers(page), []);
  t.equal(await dialog.getByRole('textbox').count(), 0, 'there is nothing to type');
  await archive.click();
  await page.getByText('This webhook is archived').waitFor();

  await page.getByRole('link', { name: 'Webhooks' }).first().click();
  await open(untyped.stitchId);
  await dialog.getByRole('textbox').fill('Odd');
  t.ok(await archive.isDisabled());
  await dialog.getByRole('textbox').fill(' Odd name ');
  await archive.click();
  await page.getByText('This webhook is archived').waitFor();
  t.type((await skein.stitches.get(untyped.stitchId)).archivedAt, 'string');
});
