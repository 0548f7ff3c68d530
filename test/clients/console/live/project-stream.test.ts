/** The state of the live connection, by what the stream gives. */
import t, { type Test } from 'tap';
import {
  ProjectStream,
  type OpenStream,
  type StreamState,
} from '../../../../clients/console/live/project-stream.ts';
import type { StreamItem } from '../../../../clients/sdk/index.ts';

const cursor = (seq: number): { epoch: string; seq: number } => ({ epoch: 'one', seq });
const resumed = (seq: number, head = seq): StreamItem => ({ type: 'resumed', cursor: cursor(seq), head });
const reset = (seq: number): StreamItem => ({ type: 'reset', cursor: cursor(seq), reason: 'expired' });
const event = (seq: number): StreamItem =>
  ({
    type: 'event',
    cursor: cursor(seq),
    event: { eventName: 'thread.updated' },
    raw: '',
  }) as unknown as StreamItem;
const position = (seq: number): StreamItem => ({ type: 'position', cursor: cursor(seq) });

/** A stream that gives what it is told to, one after the other. */
function setUp(t: Test) {
  let give: (item: StreamItem) => void = () => undefined;
  let disconnect: Parameters<OpenStream>[0]['onDisconnect'] = () => undefined;
  let time = 0;
  let checks = 0;
  let silences = 0;
  const open: OpenStream = ({ onDisconnect, signal }) => {
    disconnect = onDisconnect;
    const items = (async function* () {
      while (!signal.aborted) yield await new Promise<StreamItem>(resolve => (give = resolve));
    })();
    return Object.assign(items, { view: () => undefined, check: () => void checks++ });
  };
  const stream = new ProjectStream(
    open,
    () => silences++,
    () => (time += 1_000),
  );
  const states: StreamState[] = [];
  stream.onState(() => states.push(stream.getState()));
  stream.start();
  t.teardown(() => stream.stop());
  return {
    stream,
    states,
    countChecks: () => checks,
    countSilences: () => silences,
    pass: (ms: number) => void (time += ms),
    disconnect: (wasSilent = false) => disconnect({ code: 1006, reason: '', wasSilent, retryInMs: 500 }),
    async take(...items: readonly StreamItem[]): Promise<void> {
      for (const item of items) {
        give(item);
        // It asks for the next one when it has taken this one.
        await new Promise(resolve => setImmediate(resolve));
      }
    },
  };
}

t.test('online at once where nothing was missed', async t => {
  const { states, take } = setUp(t);
  await take(resumed(5), event(6));
  t.strictSame(states, [{ is: 'online' }]);
});

t.test('after a lost connection it counts what is still to come', async t => {
  const { states, take, disconnect } = setUp(t);
  await take(resumed(5));
  disconnect();
  await take(resumed(5, 9), event(6), event(8), event(9), event(10));
  t.match(states, [
    { is: 'online' },
    { is: 'waiting' },
    { is: 'catchingUp', left: 4 },
    { is: 'catchingUp', left: 3 },
    { is: 'catchingUp', left: 1 },
    { is: 'online' },
  ]);
  t.equal(states.length, 6);
});

t.test('the last events are not for this operator: the position ends it', async t => {
  const { stream, take } = setUp(t);
  await take(resumed(5, 9), event(6));
  t.strictSame(stream.getState(), { is: 'catchingUp', left: 3 });
  await take(position(9));
  t.strictSame(stream.getState(), { is: 'online' });
});

t.test('a reset lasts until everything was read again', async t => {
  const { stream, take } = setUp(t);
  let finish: () => void = () => undefined;
  stream.listen({ onReset: () => new Promise<void>(resolve => (finish = resolve)) });
  stream.listen({ onReset: () => Promise.reject(new Error('unreachable')) });
  await take(resumed(5), reset(900), event(901));
  t.strictSame(stream.getState(), { is: 'reset' });
  finish();
  await new Promise(resolve => setImmediate(resolve));
  t.strictSame(stream.getState(), { is: 'online' });
});

t.test('a connection that is lost while it reads again is not called good', async t => {
  const { stream, take, disconnect } = setUp(t);
  let finish: () => void = () => undefined;
  stream.listen({ onReset: () => new Promise<void>(resolve => (finish = resolve)) });
  await take(reset(900));
  disconnect();
  finish();
  await new Promise(resolve => setImmediate(resolve));
  t.match(stream.getState(), { is: 'waiting' });
});

t.test('a sign of life is asked for once at a time', async t => {
  const { stream, countChecks, pass, take } = setUp(t);
  await take(resumed(5));
  for (let times = 0; times < 3; times++) stream.check();
  t.equal(countChecks(), 1, 'the first would not end while others follow it');
  pass(5_000);
  stream.check();
  t.equal(countChecks(), 2);
});

t.test('a connection that has died without a word is told of, any other end is not', async t => {
  const { take, disconnect, countSilences } = setUp(t);
  await take(resumed(5));
  disconnect();
  t.equal(countSilences(), 0);
  disconnect(true);
  t.equal(countSilences(), 1);
});

t.test(
  'where no connection can be had, what is shown is read again, and it says so until there is one',
  async t => {
    const { stream, states, take, disconnect } = setUp(t);
    let polls = 0;
    stream.listen({ onPoll: () => void polls++ });
    await take(resumed(5));
    stream.poll(true);
    t.equal(polls, 0, 'there is one');
    disconnect();
    stream.poll(false);
    t.equal(polls, 1);
    t.match(stream.getState(), { is: 'waiting' });
    stream.poll(true);
    disconnect();
    stream.poll(true);
    t.equal(polls, 3);
    t.match(stream.getState(), { is: 'polling' }, 'the next attempt that fails is no news');
    stream.endPolling();
    t.match(stream.getState(), { is: 'waiting' });
    stream.poll(true);
    await take(resumed(5, 6), event(6));
    t.strictSame(
      states.map(({ is }) => is),
      ['online', 'waiting', 'polling', 'waiting', 'polling', 'catchingUp', 'online'],
    );
    stream.endPolling();
    t.match(stream.getState(), { is: 'online' });
  },
);

t.test(
  'what was read before the first connection is doubtful, and what was read before a later one is not',
  async t => {
    const { stream, take, disconnect } = setUp(t);
    let begins = 0;
    stream.listen({ onBegin: () => begins++ });
    await take(resumed(5), event(6));
    disconnect();
    await take(resumed(6, 7), event(7));
    t.equal(begins, 1);
  },
);
