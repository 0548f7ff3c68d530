/** What the provider has answered to a message is recorded, though the database fails meanwhile: on a real database, with a real provider. */
import t from 'tap';
import type { RecordReceipts } from '../../../actors/channel/commands.ts';
import { InFlight } from '../../../actors/channel/in-flight.ts';
import { Pacer } from '../../../actors/channel/pacer.ts';
import { workThroughSends } from '../../../actors/channel/send.ts';
import { ChannelTurns } from '../../../actors/channel/turns.ts';
import { Graph } from '../../../actors/chatapp/graph.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ActorRef } from '../../../runtime/actor/actor.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const provider = await ChatappProvider.start();
t.teardown(() => provider.stop());
const { faults, messages } = provider;
const account = provider.accounts.addAccount();
const token = provider.accounts.addToken(provider.accounts.addApp(), account).value;
const scope = { projectId: newId('project'), environmentId: newId('environment') };
const phone = '15550100';

/** What becomes of a statement: `lost` is carried out, and its answer does not come. */
type Outcome = 'done' | 'failed' | 'lost';

function loseConnection(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** A channel of a number of its own with a message that is due, and a node that sends it. */
async function queued(attachments: readonly object[] = []) {
  const number = provider.accounts.addNumber(account, { status: 'CONNECTED' });
  messages.noteInbound(number, phone, 'wamid.1');
  const [channelId, threadId, messageId] = [newId('channel'), newId('thread'), newId('message')];
  const start = Date.now();
  const at = new Date(start);
  const { projectId, environmentId } = scope;
  const connection = {
    phoneNumberId: number.id,
    accessToken: 'sealed',
    partnerAppCredentialId: null,
    connectedAt: at.toISOString(),
  };
  await database.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, chatapp, created_at, updated_at, state, version)
     values ($1, $2, $3, 'Chat', 'chatapp', 'connected', $4, now(), now(), '{}', 1)`,
    [channelId, projectId, environmentId, JSON.stringify({ connection })],
  );
  await database.query(
    `insert into threads (thread_id, project_id, environment_id, channel_id, external_ref, status, last_message_at, active_second,
       created_at, updated_at, state, version, participant)
     values ($1, $2, $3, $4, $5, 'open', now(), 0, now(), now(), '{"sequence": 1}', 1, $6)`,
    [threadId, projectId, environmentId, channelId, phone, JSON.stringify({ attributes: { phone } })],
  );
  await database.query(
    `insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body, status,
       attachments, metadata, actor, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 1, 'outbound', 'Hello', 'queued', $6, '{}', '{"type": "system", "id": null}', now(), now())`,
    [messageId, projectId, environmentId, threadId, channelId, JSON.stringify(attachments)],
  );
  await database.query(
    `insert into chatapp_sends (message_id, project_id, environment_id, channel_id, thread_id, sequence, status, created_at, next_at)
     values ($1, $2, $3, $4, $5, 1, 'queued', $6, $6)`,
    [messageId, projectId, environmentId, channelId, threadId, at],
  );
  let now = start;
  /** By the name of the statement; those after them are done. */
  const outcomes = new Map<string, Outcome[]>();
  const recorded: RecordReceipts['receipts'][number][] = [];
  /** What happens once, after the statement of that name and before its answer. */
  const meanwhile = new Map<string, () => Promise<unknown>>();
  const db = {
    async query<T extends object>(text: string, values?: readonly unknown[], name = ''): Promise<T[]> {
      const outcome = outcomes.get(name)?.shift() ?? 'done';
      if (outcome === 'failed') throw loseConnection();
      const rows = await database.query<T>(text, values, name);
      const happens = meanwhile.get(name);
      meanwhile.delete(name);
      await happens?.();
      if (outcome === 'lost') throw loseConnection();
      return rows;
    },
  };
  const inFlight = new InFlight();
  const turns = new ChannelTurns();
  const abandoned = new AbortController();
  const services = {
    db,
    reports: db,
    graph: new Graph({ url: provider.url, version: 'v25.0' }),
    media: { open: () => Promise.reject(new Error('no file is here')) },
    vault: { open: () => Promise.resolve(token) },
    ownApp: undefined,
    // No pause takes time.
    clock: { ...systemClock, after: (_ms: number, callback: () => void) => systemClock.after(0, callback) },
    pacer: new Pacer(),
    inFlight,
    turns,
    projectId,
    log: silentLog,
    draining: new AbortController().signal,
    abandoned: abandoned.signal,
    /** The thread, and the channel. */
    ask: (_to: ActorRef, command: string, payload: unknown) => {
      if (command === 'recordReceipts') recorded.push(...(payload as RecordReceipts).receipts);
      return Promise.resolve({ outcome: 'recorded' });
    },
    now: () => now,
  };
  const work = (of: typeof services = services) =>
    of.turns.tasks.sends.run(projectId, undefined, () => workThroughSends(of, channelId));
  const find = async () => {
    const query = 'select status, attempts, error from chatapp_sends where message_id = $1';
    return (await database.query<{ status: string; attempts: number }>(query, [messageId]))[0];
  };
  return {
    channelId,
    inFlight,
    turns,
    abandoned,
    meanwhile,
    work,
    /** Another node works so many milliseconds later, as this one is paused. */
    async pauseFor(ms: number) {
      now += ms;
      const others = { ...services, inFlight: new InFlight(), turns: new ChannelTurns(), pacer: new Pacer() };
      await work(others);
      await Promise.all(others.inFlight.list(channelId));
    },
    recorded,
    find,
    script: (name: string, ...next: Outcome[]) => void outcomes.set(name, next),
    /** Works at that time after the message was written, until nothing is on its way. */
    async workAt(ms: number) {
      now = start + ms;
      await work();
      await Promise.all(services.inFlight.list(channelId));
      for (const [name, { length }] of outcomes) if (length > 0) throw new Error(`${name} was not asked`);
      return find();
    },
    countAtProvider: () => messages.sent.filter(({ callbackData }) => callbackData === messageId).length,
  };
}

t.test(
  'a message that the provider takes later is queued again, where the first statement fails',
  async t => {
    const happened = faults.happened;
    const message = await queued();
    faults.script('messages', { kind: 'error', code: 130_429 });
    message.script('chatapp_sends.requeue', 'failed', 'failed');
    t.match(await message.workAt(0), { status: 'queued', attempts: 1, error: { code: '130429' } });
    t.equal(faults.happened - happened, 1);
    await message.workAt(10_000);
    t.equal(message.countAtProvider(), 1);
    t.match(message.recorded, [{ status: 'sent' }]);
  },
);

t.test('so it is where the statement was carried out, and only its answer is lost', async t => {
  const message = await queued();
  faults.script('messages', { kind: 'error', code: 130_429 });
  message.script('chatapp_sends.requeue', 'lost', 'lost');
  t.match(await message.workAt(0), { status: 'queued', attempts: 1 });
  await message.workAt(10_000);
  t.equal(message.countAtProvider(), 1);
});

t.test(
  'what the provider refuses for good has failed, though the message cannot be read at first',
  async t => {
    const message = await queued();
    faults.script('messages', { kind: 'error', code: 131_026 });
    message.script('messages.as_of.ours', 'failed', 'failed');
    await message.workAt(0);
    t.match(message.recorded, [{ status: 'failed', error: { code: '131026' } }]);
    t.equal(message.countAtProvider(), 0);
  },
);

t.test('what the provider has taken is sent, though the message cannot be read at first', async t => {
  const message = await queued();
  message.script('messages.as_of.ours', 'failed', 'failed');
  await message.workAt(0);
  t.match(message.recorded, [{ status: 'sent' }]);
  t.equal(message.countAtProvider(), 1);
});

t.test(
  'an answer that is lost makes the outcome unknown, and not the one that the node has ended',
  async t => {
    const message = await queued();
    faults.script('messages', { kind: 'lost' });
    message.script('chatapp_sends.unknown', 'failed');
    t.match(await message.workAt(0), {
      status: 'unknown',
      error: { message: 'The provider cannot be reached.' },
    });
  },
);

t.test('a file that the database does not find in time: the provider was not asked, and will be', async t => {
  const attachmentId = newId('attachment');
  const message = await queued([{ kind: 'image', attachmentId, url: 'https://a.test/1.png' }]);
  // Ahead of the claim, and after it.
  message.script('attachments.find', 'done', 'failed');
  t.match(await message.workAt(0), {
    status: 'queued',
    attempts: 1,
    error: { message: /cannot be read now/ },
  });
  await message.workAt(10_000);
  t.equal(message.countAtProvider(), 1);
  t.match(message.recorded, [{ status: 'sent' }]);
});

t.test(
  'a channel with 64 on their way begins none before it has three, while the node has very many',
  async t => {
    const message = await queued();
    const { channelId, inFlight } = message;
    const never = new Promise<void>(() => undefined);
    for (let n = 0; n < 4_096; n++) void inFlight.add('ch_other', `msg_${n}`, never);
    const ends = Array.from({ length: 64 }, (_, n) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      void inFlight.add(channelId, `msg_${n}`, promise);
      return resolve;
    });
    const besides: number[] = [];
    const [add, list] = [inFlight.add.bind(inFlight), inFlight.list.bind(inFlight)];
    inFlight.add = (...begun) => {
      besides.push(list(channelId).length);
      return add(...begun);
    };
    // One ends after each look.
    inFlight.list = id => {
      setImmediate(() => ends.pop()?.());
      return list(id);
    };
    await message.workAt(0);
    t.equal(besides.length, 1);
    t.ok((besides[0] ?? 64) < 4, `${besides[0]} were on their way`);
    t.match(message.recorded, [{ status: 'sent' }]);
  },
);

t.test('a message whose claim ended in a pause does not leave, and has failed', async t => {
  const message = await queued();
  message.meanwhile.set('chatapp_sends.claim', () => message.pauseFor(61_000));
  t.match(await message.workAt(0), { status: 'unknown' }, 'so later messages may have left');
  t.equal(message.countAtProvider(), 0);
  t.match(message.recorded, [{ status: 'failed', error: { message: /was paused/ } }]);
});

t.test('a message whose claim was never ended leaves after a pause', async t => {
  const message = await queued();
  message.meanwhile.set('chatapp_sends.claim', () => message.pauseFor(50_000));
  await message.workAt(0);
  t.equal(message.countAtProvider(), 1);
  t.match(message.recorded, [{ status: 'sent' }]);
});

t.test('a message that the provider does not answer holds no turn of other channels', async t => {
  const message = await queued();
  const { inFlight, turns, channelId, abandoned } = message;
  const happened = faults.happened;
  faults.script('messages', { kind: 'hang' });
  const working = message.work();
  await eventually('request', () => Promise.resolve(faults.happened > happened));
  await eventually('free turn', () => Promise.resolve(turns.tasks.sends.taken === 0));
  t.strictSame([inFlight.list(channelId).length, turns.messages.taken], [1, 1]);
  abandoned.abort();
  await Promise.all([working, ...inFlight.list(channelId)]);
  t.strictSame([turns.messages.taken, turns.tasks.sends.taken], [0, 0]);
});

t.test('a node that has enough messages in flight begins no other, and asks for no reminder', async t => {
  const message = await queued();
  while (message.turns.messages.tryTake('prj_other') || message.turns.messages.tryTake('prj_more'));
  while (message.turns.messages.tryTake(scope.projectId));
  t.strictSame(await message.work(), { hasMore: false });
  t.equal(message.countAtProvider(), 0);
  t.match(await message.find(), { status: 'queued' });
});
