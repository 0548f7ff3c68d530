/** The rows of a thread's list. */
import t from 'tap';
import type { Entry } from '../../../../clients/console/thread/history.ts';
import { createRows, type RowSources } from '../../../../clients/console/thread/rows.ts';
import type { Message } from '../../../../clients/sdk/index.ts';

function createEntry(sequence: number, at: string, more: Partial<Message> = {}): Entry {
  const id = `message_${sequence}`;
  const message: Message = {
    messageId: id,
    threadId: 'thread_1',
    projectId: 'prj_1',
    direction: 'inbound',
    body: `${sequence}`,
    attachments: [],
    metadata: {},
    createdAt: at,
    sequence,
    ...more,
  };
  return { kind: 'message', id, at, message };
}

const toRows = (entries: readonly Entry[], more: Partial<RowSources> = {}) =>
  createRows({
    entries,
    reachesStart: true,
    outgoing: [],
    writing: undefined,
    readSequence: undefined,
    toDay: at => at.slice(0, 10),
    ...more,
  });

t.test('days begin with their first message; the first of all only where nothing is older', async t => {
  const entries = [createEntry(1, '2026-11-22T10:00'), createEntry(2, '2026-11-23T10:00')];
  const days = (reachesStart: boolean) =>
    toRows(entries, { reachesStart }).map(({ day }) => day !== undefined);
  t.strictSame(days(true), [true, true]);
  t.strictSame(days(false), [false, true]);
});

t.test('the line stands before the first message of the participant that was not read', async t => {
  const entries = [
    createEntry(1, '2026-11-22T10:00'),
    createEntry(2, '2026-11-22T10:01', { direction: 'outbound' }),
    createEntry(3, '2026-11-22T10:02'),
    createEntry(4, '2026-11-22T10:03'),
  ];
  const lines = (readSequence: number) =>
    toRows(entries, { readSequence }).map(({ isFirstUnread }) => isFirstUnread);
  t.strictSame(lines(1), [false, false, true, false]);
  t.strictSame(lines(4), [false, false, false, false]);
});

t.test('an author is shown once for what follows soon', async t => {
  const actor = (id: string) => ({ direction: 'outbound', actor: { type: 'user', id } }) as const;
  const entries = [
    createEntry(1, '2026-11-22T10:00:00Z', actor('ada')),
    createEntry(2, '2026-11-22T10:04:00Z', actor('ada')),
    createEntry(3, '2026-11-22T10:05:00Z', actor('grace')),
    createEntry(4, '2026-11-22T10:20:00Z', actor('grace')),
  ];
  const shown = toRows(entries).map(row => row.kind === 'message' && row.showsAuthor);
  t.strictSame(shown, [true, false, true, true]);
});

t.test(
  'a reaction stands at its message: the last one of each side, and none that was taken back',
  async t => {
    const react = (sequence: number, emoji: string | null, direction: Message['direction'] = 'inbound') =>
      createEntry(sequence, '2026-11-22T10:01', {
        direction,
        content: { type: 'reaction', emoji, to: { messageId: 'message_1', externalMessageId: null } },
      });
    const first = createEntry(1, '2026-11-22T10:00');
    const getReactions = (entries: readonly Entry[]) =>
      toRows(entries).map(row => (row.kind === 'message' ? row.reactions.map(({ emoji }) => emoji) : []));
    t.strictSame(getReactions([first, react(2, '👍'), react(3, '❤️')]), [['❤️']]);
    t.strictSame(getReactions([first, react(2, '👍'), react(3, '🎉', 'outbound')]), [['👍', '🎉']]);
    t.strictSame(getReactions([first, react(2, '👍'), react(3, null)]), [[]]);
    t.equal(getReactions([react(2, '👍')]).length, 1, 'of a message that is not here it is a row');
  },
);

t.test('what is on its way stands at the end, and in the row of its message once that is there', async t => {
  const outgoing = {
    key: 'key-1',
    threadId: 'thread_1',
    content: { kind: 'note', body: 'x' },
    queuedAt: 0,
    state: 'sending',
  } as const;
  const entry = createEntry(1, '2026-11-22T10:00', { metadata: { consoleKey: 'key-1' } });
  t.strictSame(
    toRows([], { outgoing: [outgoing] }).map(({ key }) => key),
    ['key-1'],
  );
  const rows = toRows([entry], { outgoing: [outgoing] });
  t.match(rows, [{ key: 'key-1', kind: 'message' }]);
  t.equal(rows.length, 1);
});

t.test('a key that a program has repeated is that of one row', async t => {
  const repeated = { metadata: { consoleKey: 'key-1' } };
  const entries = [1, 2, 3].map(at => createEntry(at, `2026-11-22T10:0${at}`, at < 3 ? repeated : {}));
  t.strictSame(
    toRows(entries).map(({ key }) => key),
    ['key-1', 'message_2', 'message_3'],
  );
});
