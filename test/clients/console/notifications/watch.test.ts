/** What an operator who looks elsewhere is told. */
import t from 'tap';
import type { Notice } from '../../../../clients/console/notifications/notices.ts';
import {
  defaultPreferences,
  type NotificationPreferences,
} from '../../../../clients/console/notifications/preferences.ts';
import { Watch } from '../../../../clients/console/notifications/watch.ts';
import type { SkeinEvent, Thread } from '../../../../clients/sdk/index.ts';

const me = 'usr_me';
const environmentId = 'env_1';

const createThread = (threadId: string, assigneeUserId: string | null): Thread =>
  ({ threadId, environmentId, assigneeUserId }) as Thread;

const createEvent = (eventName: string, data: object): SkeinEvent =>
  ({ eventName, data: { environmentId, ...data } }) as SkeinEvent;

const writeIn = (threadId: string): SkeinEvent =>
  createEvent('thread.message.received', { threadId, message: { threadId, body: 'Hello' } });

const nameMe = (threadId: string, eventName = 'thread.note.created'): SkeinEvent =>
  createEvent(eventName, { threadId, note: { threadId, body: '@Me', mentions: [me] } });

function watchAs(about: NotificationPreferences['about']) {
  const told: Notice[] = [];
  const counts: number[] = [];
  const read: string[] = [];
  const state = { isAway: true };
  const owners: Record<string, string | null> = { thr_mine: me, thr_free: null, thr_theirs: 'usr_other' };
  const watch = new Watch({
    userId: me,
    environmentId,
    isAway: () => state.isAway,
    readPreferences: () => ({ ...defaultPreferences, about }),
    getThread: async threadId => {
      read.push(threadId);
      if (threadId === 'thr_away') throw new Error('unreachable');
      return createThread(threadId, owners[threadId] ?? null);
    },
    count: conversations => counts.push(conversations),
    tell: notice => told.push(notice),
  });
  const settle = () => new Promise(resolve => setImmediate(resolve));
  return { watch, told, counts, read, state, settle };
}

t.test('tells of agents that need somebody, and of what did not arrive', async t => {
  const { watch, told, settle } = watchAs('mine');
  for (const eventName of [
    'agent.suggestion.created',
    'agent.handoff.requested',
    'agent.tool.approval_requested',
    'channel.message.delivery_failed',
  ])
    watch.onEvent(createEvent(eventName, { threadId: 'thr_mine' }));
  watch.onEvent(createEvent('agent.handoff.requested', { threadId: 'thr_theirs' }));
  await settle();
  t.strictSame(
    told.map(({ is, threadId }) => [is, threadId]),
    ['suggestion', 'handoff', 'tool', 'failed'].map(is => [is, 'thr_mine']),
  );
});

for (const [about, wanted] of [
  ['mine', ['thr_mine']],
  ['unassigned', ['thr_mine', 'thr_free']],
  ['all', ['thr_mine', 'thr_free', 'thr_theirs']],
] as const) {
  t.test(`tells of messages in conversations: ${about}`, async t => {
    const { watch, told, counts, settle } = watchAs(about);
    for (const threadId of ['thr_mine', 'thr_free', 'thr_theirs']) watch.onEvent(writeIn(threadId));
    await settle();
    t.strictSame(
      told.map(({ threadId }) => threadId),
      wanted,
    );
    t.equal(counts.at(-1), wanted.length);
  });
}

t.test('counts a conversation once, and begins anew when the operator has been here', async t => {
  const { watch, counts, state, settle } = watchAs('all');
  for (let index = 0; index < 3; index++) watch.onEvent(writeIn('thr_mine'));
  await settle();
  t.equal(counts.at(-1), 1);
  watch.clear();
  t.equal(counts.at(-1), 0);
  state.isAway = false;
  watch.onEvent(writeIn('thr_mine'));
  await settle();
  t.equal(counts.at(-1), 0, 'who looks sees it');
});

t.test('tells of notes that mention the operator, whoever’s the conversation is', async t => {
  const { watch, told, settle } = watchAs('mine');
  const write = (body: string, mentions?: string[], author = 'usr_other'): void =>
    watch.onEvent(
      createEvent('thread.note.created', {
        threadId: 'thr_theirs',
        note: { threadId: 'thr_theirs', body, mentions },
        actor: { type: 'user', id: author },
      }),
    );
  write('@Ana, of before there were mentions');
  write('@Anabel, please', ['usr_anabel']);
  write('@Ana: to myself', [me], me);
  write('Please, @ana.', ['usr_anabel', me]);
  await settle();
  t.strictSame(told, [{ is: 'mention', threadId: 'thr_theirs', text: 'Please, @ana.' }]);
});

t.test('tells what a colleague assigns, and not what the operator does', async t => {
  const { watch, told } = watchAs('mine');
  const thread = createThread('thr_mine', me);
  watch.onEvent(createEvent('thread.assignment.changed', { thread, actor: { type: 'user', id: me } }));
  watch.onEvent(
    createEvent('thread.assignment.changed', { thread, actor: { type: 'user', id: 'usr_other' } }),
  );
  watch.onEvent(
    createEvent('thread.assignment.changed', { thread: createThread('thr_theirs', 'usr_other') }),
  );
  t.strictSame(told, [{ is: 'assigned', threadId: 'thr_mine', text: '' }]);
});

t.test(
  'tells nothing of other environments, of invented events, and of a flood the first, a few read at once',
  async t => {
    const { watch, told, read, settle } = watchAs('all');
    watch.onEvent(
      createEvent('thread.message.received', { ...writeIn('thr_free').data, environmentId: 'env_2' }),
    );
    watch.onEvent(createEvent('thread.message.received', { ...writeIn('thr_free').data, test: true }));
    await settle();
    t.strictSame(told, []);
    for (let index = 0; index < 500; index++) watch.onEvent(writeIn(`thr_${index}`));
    t.equal(read.length, 5);
    await settle();
    t.equal(told.length, 105, 'those that wait are read, too');
  },
);

t.test('of a flood all that somebody waits for is told, and before the rest', async t => {
  const { watch, told, settle } = watchAs('all');
  for (let index = 0; index < 300; index++) watch.onEvent(writeIn(`thr_${index}`));
  for (let index = 0; index < 300; index++) watch.onEvent(nameMe(`thr_${index}`));
  watch.onEvent(createEvent('agent.tool.approval_requested', { threadId: 'thr_mine' }));
  await settle();
  t.equal(told.filter(({ is }) => is === 'mention').length, 300);
  t.equal(told.filter(({ is }) => is === 'tool').length, 1);
  const last = told.slice(-100).map(({ is }) => is);
  t.strictSame(new Set(last), new Set(['message']));
});

t.test(
  'who is named is told, also by a note that is changed, and where the server cannot be reached',
  async t => {
    const { watch, told, settle } = watchAs('mine');
    watch.onEvent(nameMe('thr_theirs', 'thread.note.updated'));
    watch.onEvent(nameMe('thr_away'));
    watch.onEvent(writeIn('thr_away'));
    await settle();
    t.match(told, [
      { is: 'mention', threadId: 'thr_theirs' },
      { is: 'mention', threadId: 'thr_away' },
    ]);
    t.equal(told.length, 2);
  },
);
