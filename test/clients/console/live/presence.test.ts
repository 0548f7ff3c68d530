/** Who else is at a thread: as the server says, until the connection begins anew, or nobody says it any more. */
import t from 'tap';
import { Presence } from '../../../../clients/console/live/presence.ts';
import type { EphemeralEvent } from '../../../../clients/sdk/index.ts';

const [me, ana, ben] = ['usr_me', 'usr_ana', 'usr_ben'];

const look = (threadId: string, ...userIds: readonly string[]): EphemeralEvent =>
  ({
    eventName: 'thread.viewer.changed',
    data: {
      threadId,
      userIds,
      viewers: userIds.map(userId => ({ userId, displayName: userId.slice(4), avatarColor: 'teal' })),
    },
  }) as unknown as EphemeralEvent;

const type = (threadId: string, userId: string, state: 'started' | 'stopped'): EphemeralEvent =>
  ({ eventName: `thread.typing.${state}`, data: { threadId, userId } }) as unknown as EphemeralEvent;

function start() {
  const due = new Set<() => void>();
  const presence = new Presence({
    userId: me,
    schedule(work) {
      due.add(work);
      return () => due.delete(work);
    },
  });
  const tell = (threadId = 'thr_1') =>
    presence.get(threadId).map(({ userId, isTyping }) => `${userId}${isTyping ? ' types' : ''}`);
  return { presence, tell, due };
}

t.test('those who look at a thread, without the operator, until they have gone', async t => {
  const { presence, tell } = start();
  presence.onEphemeral(look('thr_1', me, ana));
  presence.onEphemeral(look('thr_2', ben));
  t.match(presence.get('thr_1'), [{ userId: ana, displayName: 'ana', avatarColor: 'teal', isTyping: false }]);
  t.strictSame(tell('thr_2'), [ben]);
  const before = presence.get('thr_2');
  presence.onEphemeral(look('thr_1', me));
  t.strictSame(tell(), []);
  t.equal(presence.get('thr_2'), before, 'of another thread nothing is new');
});

t.test('those who type, whether they look or not, for a while', async t => {
  const { presence, tell, due } = start();
  presence.onEphemeral(look('thr_1', ana));
  presence.onEphemeral(type('thr_1', ana, 'started'));
  presence.onEphemeral(type('thr_1', ben, 'started'));
  presence.onEphemeral(type('thr_1', me, 'started'));
  t.strictSame(tell(), [`${ana} types`, `${ben} types`]);
  presence.onEphemeral(type('thr_1', ana, 'stopped'));
  t.strictSame(tell(), [ana, `${ben} types`]);
  for (const work of [...due]) work();
  t.strictSame(tell(), [ana]);
});

t.test('with a new connection everything begins anew', async t => {
  const { presence, tell, due } = start();
  presence.onEphemeral(look('thr_1', ana));
  presence.onEphemeral(type('thr_1', ben, 'started'));
  presence.onConnect();
  t.strictSame(tell(), []);
  t.equal(due.size, 0);
});

t.test('without a stream nobody is said to be there: nobody would say that they have gone', async t => {
  const { presence, tell, due } = start();
  let changes = 0;
  presence.onEphemeral(look('thr_1', ana));
  presence.onEphemeral(type('thr_1', ben, 'started'));
  presence.onChange(() => changes++);
  presence.onPoll();
  t.strictSame(tell(), []);
  t.equal(due.size, 0);
  t.equal(changes, 1);
});
