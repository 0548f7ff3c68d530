/** Which thread a participant has, whatever the provider calls them. */
import t from 'tap';
import { ParticipantThreads } from '../../../actors/channel/participant-threads.ts';
import { deriveThreadId, newId } from '../../../protocol/ids.ts';
import type { Queries } from '../../../storage/database/database.ts';
import type { ChannelHead } from '../../../storage/reads/heads.ts';

const channel = {
  channelId: newId('channel'),
  projectId: newId('project'),
  environmentId: newId('environment'),
} as ChannelHead;
const derive = (name: string) => deriveThreadId(channel.environmentId, channel.channelId, name);

/** What is stored of aliases: each leads to the thread that is derived from a name. */
const load = (stored: Readonly<Record<string, string>>, names: readonly string[] = ['any']) => {
  const rows = Object.entries(stored).map(([alias, externalRef]) => ({
    alias,
    externalRef,
    threadId: derive(externalRef),
    hasUserId: Object.entries(stored).some(([other, ref]) => ref === externalRef && /\D/.test(other)),
  }));
  const db = { query: () => Promise.resolve(rows) } as unknown as Queries;
  return ParticipantThreads.load(db, channel, names);
};

const by = (phone: string | null, userId: string | null = null) => ({
  participant: { phone, userId, username: null, displayName: null },
});

t.test('by the number alone, the thread is derived from it', async t => {
  const threads = await load({});
  t.strictSame(threads.find(by('1')), { threadId: derive('1'), externalRef: '1', aliases: [] });
});

t.test('a number that becomes known later leads to the thread of the user id', async t => {
  const threads = await load({});
  t.strictSame(threads.find(by(null, 'US.1')), {
    threadId: derive('US.1'),
    externalRef: 'US.1',
    aliases: ['US.1'],
  });
  t.strictSame(threads.find(by('1', 'US.1')), {
    threadId: derive('US.1'),
    externalRef: 'US.1',
    aliases: ['1'],
  });
  t.strictSame(threads.find(by('1')), { threadId: derive('US.1'), externalRef: 'US.1', aliases: [] });
  t.match((await load({ 'US.1': 'US.1' })).find(by('1', 'US.1')), { externalRef: 'US.1', aliases: ['1'] });
});

t.test(
  'where both have a thread, the user id counts, because a number may pass to somebody else',
  async t => {
    const threads = await load({ 'US.1': 'US.1', 1: '7' });
    t.match(threads.find(by('1', 'US.1')), { externalRef: 'US.1', aliases: ['1'] });
    t.match(threads.find(by('1')), { externalRef: 'US.1' });
  },
);

t.test('a number that has passed to somebody else leads to a thread of their own', async t => {
  for (const threads of [await load({ 'US.1': '1', 1: '1' }), await load({})]) {
    t.match(threads.find(by('1', 'US.1')), { externalRef: '1' });
    t.match(threads.find({ ...by('1'), newNames: { phone: '2', userId: 'US.2' } }), { externalRef: '1' });
    t.match(threads.find(by('1', 'US.3')), { externalRef: 'US.3', aliases: ['US.3', '1'] });
    t.match(threads.find(by('1')), { externalRef: 'US.3' });
    t.match(threads.find(by('2', 'US.2')), { externalRef: '1' }, 'who had it keeps theirs');
  }
});

t.test('nobody is asked for nothing', async t => {
  const db = { query: () => Promise.reject(new Error('asked')) } as unknown as Queries;
  t.ok(await ParticipantThreads.load(db, channel, []));
});
