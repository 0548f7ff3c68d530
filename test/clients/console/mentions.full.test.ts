/** Notes that mention colleagues: how the contract keeps them, and whoever is mentioned learns of it wherever they are. */
import t from 'tap';
import {
  ApiError,
  type Mention,
  type Page,
  type Queues,
  type UnreadMentions,
} from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { owner, projectId, environmentId, skein } = setting;
const colleague = await addOperator(setting);

const params = { projectId };
const listPage = (api = colleague.api, query: { readonly unread?: boolean; readonly limit?: number } = {}) =>
  api.request<Pick<Page<Mention>, 'data' | 'hasMore'>>('listMentions', {
    params,
    query: { environmentId, ...query },
  });
const list = async (api = colleague.api, unread?: boolean) =>
  (await listPage(api, unread === undefined ? {} : { unread })).data;
const read = (body: { readonly threadId?: string } = {}) =>
  colleague.api.request<UnreadMentions>('readMentions', { params, body: { environmentId, ...body } });
const count = async (api = colleague.api) =>
  (await api.request<Queues>('getQueues', { params, query: { environmentId } })).queues.mentions.count;
const write = (threadId: string, body: string, mentions: string[]) =>
  owner.api.notes.create(threadId, { projectId, body, mentions });

t.test("a mention is listed for its user, counts until it is read, and is nobody else's", async t => {
  const [first, second] = [
    await receive(setting, 'ada', 'Hello', 'Ada'),
    await receive(setting, 'bob', 'Hi'),
  ];
  const note = await write(first, 'Look here', [colleague.userId]);
  t.strictSame(note.mentions, [colleague.userId]);
  await write(second, 'And here', [colleague.userId]);
  await write(second, 'Not here', []);
  const mentions = await list();
  t.strictSame(
    mentions.map(({ note: { body }, participantName, readAt }) => [body, participantName, readAt]),
    [
      ['And here', null, null],
      ['Look here', 'Ada', null],
    ],
  );
  t.strictSame([await count(), await count(owner.api)], [2, 0]);
  const left = await read({ threadId: first });
  t.strictSame(left.unread, { count: 1, more: false });
  t.strictSame(
    (await list(colleague.api, true)).map(({ note: { body } }) => body),
    ['And here'],
  );
  await read();
  t.strictSame([await count(), (await list(colleague.api, true)).length, (await list()).length], [0, 0, 2]);
  t.strictSame(await list(owner.api), []);
  t.match(await listPage(colleague.api, { limit: 1 }), {
    data: [{ note: { body: 'And here' } }],
    hasMore: true,
  });
});

t.test('a changed note mentions others; what is taken away or deleted is not listed any more', async t => {
  const threadId = await receive(setting, 'eve', 'Hello');
  const before = (await list()).length;
  const note = await write(threadId, 'First', []);
  const change = (body: string, mentions?: string[]) =>
    owner.api.notes.update(threadId, note.threadNoteId, { projectId, body, ...(mentions && { mentions }) });
  const changed = await change('First', [colleague.userId]);
  t.strictSame(changed.mentions, [colleague.userId], 'mentions alone are a change');
  t.equal((await list())[0]?.mentionedAt, changed.updatedAt);
  t.strictSame((await change('Second')).mentions, [colleague.userId], 'they stay where they are left out');
  t.equal((await list())[0]?.mentionedAt, changed.updatedAt, 'and count as of the first time');
  await change('Third', []);
  t.equal((await list()).length, before);
  await change('Fourth', [colleague.userId, owner.userId]);
  t.equal((await list()).length, before + 1);
  await owner.api.notes.delete(threadId, note.threadNoteId);
  t.equal((await list()).length, before);
  const { data } = await skein.threads.listEvents(threadId, { eventName: ['thread.note.updated'] });
  t.equal(data.length, 4, 'each change has its event');
});

t.test('who is not in the project cannot be mentioned', async t => {
  const threadId = await receive(setting, 'mallory', 'Hello');
  const outsider = `usr_${'0'.repeat(26)}`;
  const refused = await write(threadId, 'x', [colleague.userId, outsider]).catch((error: unknown) => error);
  t.ok(refused instanceof ApiError);
  t.match(refused, { status: 404 });
  const many = Array.from({ length: 21 }, (_, n) => `usr_${String(n).padStart(26, '0')}`);
  t.match(await write(threadId, 'x', many).catch((error: unknown) => error), { status: 422 });
  t.strictSame(await skein.notes.list(threadId).toArray(), []);
});

t.test('who works elsewhere is told in the page; who was away finds it in the rail', async t => {
  const browser = await startChromium(t);
  const ana = await addOperator(setting, 'agent', `ana-${Date.now()}`);
  const here = await receive(setting, 'mentioned-here', 'A question', 'Quinn');
  const there = await receive(setting, 'mentioned-there', 'Something else');
  const path = (threadId: string) => `/console/${projectId}/${environmentId}/all/${threadId}`;
  const [writing, reading] = await Promise.all([
    openConsole(t, browser, setting, owner, { path: path(here) }),
    openConsole(t, browser, setting, ana, { path: path(there) }),
  ]);
  await Promise.all([writing, reading].map(page => page.getByRole('log', { name: 'Messages' }).waitFor()));
  const readColor = () =>
    writing.evaluate(`getComputedStyle(document.querySelector('form textarea')).backgroundColor`);
  const colorOfReply = await readColor();
  await writing.getByText('Note', { exact: true }).click();
  const input = writing.getByRole('textbox', { name: 'Note' });
  await input.pressSequentially('Please look, @ana');
  await writing.getByRole('option').first().waitFor();
  await writing.keyboard.press('Enter');
  await writing.keyboard.press('Enter');
  t.not(await readColor(), colorOfReply, 'a note looks different while it is written');
  const note = writing.getByRole('article', { name: /^Note/ });
  t.match(await note.locator('mark').textContent(), /^@Ana/i, 'the name is marked in the note');
  t.strictSame(
    (await list(ana.api)).map(({ note: { mentions } }) => mentions),
    [[ana.userId]],
  );

  const notice = reading.getByRole('status').filter({ hasText: 'mentions you' });
  await notice.getByText(/Please look/).waitFor();
  t.notMatch(await notice.locator('b bdi').textContent(), 'mentions', 'the name alone is set apart');
  const rail = reading.getByRole('navigation', { name: 'Queues' });
  await rail.getByRole('link', { name: 'Mentions 1' }).waitFor();
  t.strictSame(await findBarriers(reading), []);
  // Another browser of theirs, later: nothing depends on having been there.
  const later = await openConsole(t, browser, setting, ana);
  await later.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name: 'Mentions 1' }).click();
  const entry = later.getByRole('region', { name: 'Mentions' }).getByRole('link', { name: /about Quinn/ });
  await entry.waitFor();
  t.strictSame(await findBarriers(later), []);
  await notice.getByRole('button', { name: 'Open the conversation' }).click();
  await reading.getByRole('log', { name: 'Messages' }).getByText('A question').waitFor();
  await rail.getByRole('link', { name: 'Mentions', exact: true }).waitFor();
  await eventually('read mention', async () => (await count(ana.api)) === 0);
  await later.reload();
  await entry.waitFor();
  t.equal(await later.getByRole('img', { name: 'Unread' }).count(), 0);
});

t.test('a mention opens at its note, however far back, and a note of the newest where it stands', async t => {
  const far = await receive(setting, 'long-ago', 'The beginning', 'Paula');
  const reader = await addOperator(setting);
  const early = await write(far, 'This is the early note', [reader.userId]);
  for (let count = 0; count < 130; count++) await receive(setting, 'long-ago', `Message ${count}`);
  await write(far, 'This is the late note', [reader.userId]);
  const path = `/console/${projectId}/${environmentId}/mentions`;
  const page = await openConsole(t, await startChromium(t), setting, reader, { path });
  const log = page.getByRole('log', { name: 'Messages' });
  const found = log.locator('[data-found]');
  await page.getByRole('link', { name: /early note/ }).click();
  await found.getByText('This is the early note').waitFor();
  t.match(await page.evaluate('location.search'), early.threadNoteId);
  await log.getByText('The beginning').waitFor();
  t.equal(await log.getByText('Message 129').count(), 0, 'the newest are far away');
  await page.getByRole('link', { name: /late note/ }).click();
  await found.getByText('This is the late note').waitFor();
  await log.getByText('Message 129').waitFor();
  // The address alone leads there, too.
  await page.goBack();
  await page.reload();
  await found.getByText('This is the early note').waitFor();
  t.ok(await found.isVisible());
});
