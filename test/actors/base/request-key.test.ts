/** The key of a request goes with the commit of its command, and keeps the reply. */
import t from 'tap';
import { keepReply, type Keyed } from '../../../actors/base/request-key.ts';
import type { Turn } from '../../../runtime/actor/actor.ts';

interface Command extends Keyed {
  readonly reply: unknown;
}

const turn: Turn = { now: 0, id: 'one' };
const key = { keyHash: 'aGFzaA==', fingerprint: 'cHJpbnQ=' };
const decide = (state: number, { reply }: Command) => ({ state: state + 1, writes: [], reply });

t.test('without a key a decision stays as it is', async t => {
  t.strictSame(keepReply(decide)(1, { reply: 'x' }, turn), { state: 2, writes: [], reply: 'x' });
});

t.test('the reply is kept as JSON: a text is JSON already, and nothing is kept of none', async t => {
  for (const [reply, body] of [
    [{ a: 1 }, '{"a":1}'],
    ['{"b":2}', '{"b":2}'],
    [null, null],
  ]) {
    const decision = keepReply(decide)(1, { reply, key }, turn);
    t.equal(decision.state, 2);
    t.equal(decision.reply, reply, 'the caller gets the reply itself');
    t.match(decision.writes, [
      { key: key.keyHash, unique: true, values: ['aGFzaA==', 'cHJpbnQ=', body, null] },
    ]);
  }
});

t.test('what is kept may be something else', async t => {
  const kept = keepReply(decide, (reply, _command, { id }) => ({ id, reply }));
  t.match(kept(1, { reply: 3, key }, turn).writes?.[0]?.values[2], '{"id":"one","reply":3}');
});

t.test('a key is not used up by a reply that asks for another try', async t => {
  const kept = keepReply(decide, reply => (reply === 'again' ? undefined : reply));
  t.strictSame(kept(1, { reply: 'again', key }, turn).writes, []);
  t.equal(kept(1, { reply: 'done', key }, turn).writes?.length, 1);
});

t.test('a decision that changes nothing is committed with its key', async t => {
  const kept = keepReply((_state: number, _command: Keyed) => ({ reply: null }));
  t.equal(kept(1, { key }, turn).writes?.length, 1);
  t.equal(kept(1, {}, turn).writes, undefined);
});
