/** The entries of a thread, whatever comes when. */
import fc from 'fast-check';
import t from 'tap';
import { type Entry, ThreadHistory } from '../../../../clients/console/thread/history.ts';
import type { Message, SkeinEvent, ThreadNote } from '../../../../clients/sdk/index.ts';

const at = (seconds: number): string => new Date(1_800_000_000_000 + seconds * 1_000).toISOString();
const threadId = 'thread_1';
const projectId = 'prj_1';

function createMessage(sequence: number, more: Partial<Message> = {}): Message {
  return {
    messageId: `message_${sequence}`,
    threadId,
    projectId,
    direction: sequence % 2 === 0 ? 'outbound' : 'inbound',
    body: `text ${sequence}`,
    attachments: [],
    metadata: {},
    createdAt: at(sequence),
    sequence,
    externalMessageId: null,
    ...more,
  };
}

function createEvent(eventName: SkeinEvent['eventName'], sequence: number, data: object): SkeinEvent {
  const head = { eventId: `event_${sequence}`, occurredAt: at(sequence), apiVersion: '1', projectId };
  return {
    ...head,
    eventName,
    data: { environmentId: 'env_1', threadId, sequence, ...data },
  } as unknown as SkeinEvent;
}

const createNote = (seconds: number, more: Partial<ThreadNote> = {}): ThreadNote => ({
  threadNoteId: `note_${seconds}`,
  projectId,
  threadId,
  authorUserId: 'user_1',
  body: `note ${seconds}`,
  createdAt: at(seconds),
  updatedAt: at(seconds),
  ...more,
});

/** Everything. */
const whole = { from: 0, to: Infinity };

const ids = (history: ThreadHistory): string[] => history.entries.map(({ id }) => id);
const findMessage = (history: ThreadHistory, id: string): Message | undefined =>
  history.entries.find((entry): entry is Extract<Entry, { kind: 'message' }> => entry.id === id)?.message;

/** What happened in a thread, and every version of it that somebody may have read on the way. */
const states = ['queued', 'sent', 'delivered', 'read'] as const;
const outbound = states.map(status =>
  createMessage(2, { status, ...(status !== 'queued' && { externalMessageId: 'x' }) }),
);
const picture = (status: 'pending' | 'ready') =>
  createMessage(5, { attachments: [{ kind: 'image', status }] });
const erased = createEvent('thread.lifecycle.erased', 7, { thread: {} });
const offers: readonly ((history: ThreadHistory) => void)[] = [
  ...outbound.flatMap(message => [
    (history: ThreadHistory) => history.addMessages([message]),
    (history: ThreadHistory) => history.addEvent(createEvent('channel.message.sent', 3, { message })),
  ]),
  history => history.addMessages([createMessage(1), createMessage(2, { status: 'queued' })]),
  history => history.addEvent(createEvent('thread.message.received', 1, { message: createMessage(1) })),
  history => history.addEvent(createEvent('thread.assignment.changed', 4, { thread: {} })),
  history => history.addMessages([picture('pending')]),
  history => history.addMessages([picture('ready')]),
  history => history.addNotes([createNote(4.5), createNote(6)]),
  history => history.addNotes([createNote(4.5, { body: 'better', updatedAt: at(20) })]),
  history => history.addEvent(createEvent('thread.note.deleted', 6, { note: createNote(6) })),
  history => history.addMessages([createMessage(9), createMessage(10)]),
  history => history.addNotes([createNote(11)]),
];

t.test('ends as a fresh read does, whatever comes first, late or twice', async t => {
  const fresh = new ThreadHistory();
  for (const offer of offers) offer(fresh);
  fresh.addPage([], whole);
  t.strictSame(ids(fresh), [
    'message_1',
    'message_2',
    'event_4',
    'note_4.5',
    'message_5',
    'message_9',
    'message_10',
    'note_11',
  ]);
  const anyOrder = fc.shuffledSubarray([...offers], { minLength: offers.length });
  fc.assert(
    fc.property(anyOrder, fc.array(fc.constantFrom(...offers)), (all, again) => {
      const history = new ThreadHistory();
      history.addPage([], whole);
      for (const offer of [...again, ...all, ...again]) offer(history);
      t.strictSame(history.entries, fresh.entries);
    }),
  );
});

t.test('nothing that was erased is shown again, whenever it comes', async t => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...offers, (history: ThreadHistory) => history.addEvent(erased)]),
      all => {
        const history = new ThreadHistory();
        history.addPage([], whole);
        for (const offer of [(each: ThreadHistory) => each.addEvent(erased), ...all]) offer(history);
        t.ok(history.entries.length > 0);
        for (const entry of history.entries) {
          if (entry.kind === 'message' && (entry.message.sequence ?? 0) < 7) {
            t.match(entry.message, { body: '', attachments: [], metadata: {}, externalMessageId: null });
          }
          if (entry.kind === 'note') t.equal(entry.id, 'note_11');
        }
      },
    ),
  );
});

t.test('what the thread says was erased is not shown, before the event tells up to which number', async t => {
  const history = new ThreadHistory();
  const bodies = (): (string | undefined)[] =>
    [6, 8].map(sequence => findMessage(history, `message_${sequence}`)?.body);
  // By a clock that went back.
  history.addPage([createMessage(6), createMessage(8, { createdAt: at(6.5) })], whole);
  history.addNotes([createNote(6.2)]);
  history.eraseBefore(at(7));
  t.strictSame(bodies(), ['', '']);
  t.notOk(ids(history).includes('note_6.2'));
  history.addEvent(erased);
  t.strictSame(bodies(), ['', 'text 8']);
  history.eraseBefore(at(7));
  t.strictSame(bodies(), ['', 'text 8'], 'said once more');
});

t.test('a status only moves forward', async t => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...outbound), { minLength: 1 }), seen => {
      const history = new ThreadHistory();
      history.addPage([], whole);
      let furthest = -1;
      for (const message of seen) {
        history.addMessages([message]);
        furthest = Math.max(furthest, states.indexOf(message.status as (typeof states)[number]));
        t.equal(findMessage(history, 'message_2')?.status, states[furthest]);
      }
    }),
  );
});

t.test('nothing stands before the oldest message until the start is reached', async t => {
  const history = new ThreadHistory();
  history.addNotes([createNote(1), createNote(6)]);
  history.addEvent(createEvent('thread.status.changed', 2, { thread: {} }));
  history.addPage([createMessage(5)], { from: 5, to: Infinity });
  t.strictSame(ids(history), ['message_5', 'note_6']);
  history.addPage([], { from: 0, to: 4 });
  t.strictSame(ids(history), ['note_1', 'event_2', 'message_5', 'note_6']);
});

t.test('shows one interval without a gap: that of a message that was jumped to, or the newest', async t => {
  const history = new ThreadHistory();
  history.addPage([createMessage(90), createMessage(91)], { from: 90, to: Infinity });
  history.addPage([createMessage(40), createMessage(41)], { from: 40, to: 41 });
  history.addNotes([createNote(40.5), createNote(60)]);
  history.addEvent(createEvent('thread.status.changed', 50, { thread: {} }));
  // A receipt of a message that nobody has read here.
  history.addMessages([createMessage(70)]);
  t.strictSame(ids(history), ['message_90', 'message_91']);
  history.show(40);
  t.strictSame(ids(history), ['message_40', 'note_40.5', 'message_41']);
  history.addMessages([createMessage(92), createMessage(93)]);
  t.strictSame(ids(history), ['message_40', 'note_40.5', 'message_41'], 'what comes live is no part of it');
  t.equal(history.countInbound(91), 1);
  history.addPage([createMessage(70)], { from: 42, to: 89 });
  t.strictSame(ids(history), [
    'message_40',
    'note_40.5',
    'message_41',
    'event_50',
    'note_60',
    'message_70',
    'message_90',
    'message_91',
    'message_92',
    'message_93',
  ]);
  t.strictSame(history.shown, { from: 40, to: Infinity });
});

t.test('an event whose words are erased is shown no more, and an approval never', async t => {
  const history = new ThreadHistory();
  history.addPage([], whole);
  const resolve = (sequence: number, status: string) =>
    createEvent('agent.suggestion.resolved', sequence, {
      suggestion: { status, discardReason: 'Mentions Ada' },
    });
  history.addEvent(resolve(1, 'approved'));
  history.addEvent(resolve(2, 'discarded'));
  history.addEvent(createEvent('agent.handoff.requested', 3, { reason: 'Ada asks' }));
  history.addEvent(createEvent('thread.status.changed', 4, { thread: {} }));
  t.strictSame(ids(history), ['event_2', 'event_3', 'event_4']);
  history.addEvent(erased);
  t.strictSame(ids(history), ['event_4', 'event_7']);
  const fresh = new ThreadHistory();
  fresh.addPage([], whole);
  fresh.addEvent(createEvent('agent.suggestion.resolved', 2, { erased: true }));
  fresh.addEvent(createEvent('agent.handoff.requested', 3, { erased: true }));
  t.strictSame(ids(fresh), []);
});

t.test('entries stay the same object until something changes', async t => {
  const history = new ThreadHistory();
  history.addPage([createMessage(5)], whole);
  const { entries } = history;
  history.addEvent(createEvent('thread.lifecycle.updated', 6, { thread: {} }));
  t.equal(history.entries, entries);
});

t.test('knows which messages were sent once more, wherever in the thread', async t => {
  const history = new ThreadHistory();
  history.addMessages([createMessage(8, { metadata: { resendOf: 'message_2' } })]);
  history.addPage([createMessage(2, { status: 'failed' })], { from: 0, to: 2 });
  t.ok(history.wasResent('message_2'));
  t.notOk(history.wasResent('message_8'));
});
