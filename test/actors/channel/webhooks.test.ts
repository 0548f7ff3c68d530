/** Webhooks are worked through a page at a time, and one by one where a page fails. */
import t from 'tap';
import type { ProviderMessage, WebhookTask } from '../../../actors/channel/webhook-task.ts';
import { workThroughWebhooks } from '../../../actors/channel/webhooks.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { ChatappInbox } from '../../../storage/chatapp/inbox.ts';
import { RecentWebhooks } from '../../../storage/chatapp/recent-webhooks.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const now = Date.parse('2026-11-20T12:00:00Z');
let requests = 0;

/** A channel with a webhook for each text; `receive` takes the place of the threads. */
async function channelWith(
  texts: readonly string[],
  receive: (message: ProviderMessage['message']) => Promise<void>,
  timestamp = (index: number) => index + 1,
) {
  const [channelId, projectId, environmentId] = [newId('channel'), newId('project'), newId('environment')];
  await database.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, created_at, updated_at, state, version)
     values ($1, $2, $3, 'Chat', 'chatapp', 'connected', now(), now(), '{}', 1)`,
    [channelId, projectId, environmentId],
  );
  const inbox = new ChatappInbox(database, new RecentWebhooks(), () => undefined);
  for (const [index, body] of texts.entries()) {
    const message = {
      id: `${channelId}-${body}`,
      from: '15550100',
      timestamp: 1_795_000_000 + timestamp(index),
      type: 'text',
      text: { body },
    };
    const value = { metadata: { phone_number_id: '2' }, messages: [message] };
    const payload = { entry: [{ id: '1', changes: [{ field: 'messages', value }] }] };
    await inbox.add({
      // Ids of one millisecond have no order.
      requestId: newId('request', now + ++requests),
      projectId,
      environmentId,
      channelId,
      wabaId: '1',
      phoneNumberId: '2',
      receivedAt: new Date(now),
      threadIds: [],
      body: Buffer.from(JSON.stringify(payload)),
    });
  }
  let failure: Error | undefined;
  let failures = 0;
  let readable = 0;
  let failing = 'chatapp.message_ids';
  let passedMs = 0;
  const services: WebhookTask = {
    db: {
      query<T extends object>(text: string, values?: readonly unknown[], name?: string): Promise<T[]> {
        const mayFail = failure !== undefined && name === failing;
        if (!mayFail || (values?.[1] as readonly string[]).length <= readable)
          return database.query<T>(text, values, name);
        failures++;
        return Promise.reject(failure);
      },
    },
    recentWebhooks: new RecentWebhooks(),
    log: silentLog,
    ask: () => Promise.resolve(null),
    now: () => now + passedMs,
    receive: async (_ask, { message }) => {
      await receive(message);
      return undefined;
    },
  };
  return {
    work: () => workThroughWebhooks(services, channelId),
    pass: (ms: number) => void (passedMs += ms),
    /** Works now, and whenever a retry is due within that time. */
    async workFor(ms: number) {
      const end = passedMs + ms;
      for (;;) {
        await workThroughWebhooks(services, channelId);
        const [next] = await database.query<{ at: Date | null }>(
          'select min(next_at) as at from chatapp_open_webhooks where channel_id = $1',
          [channelId],
        );
        const dueMs = (next?.at?.getTime() ?? Infinity) - now;
        passedMs = Math.min(Math.max(dueMs, passedMs), end);
        if (dueMs > end) return;
      }
    },
    letters: () =>
      database.query(
        'select name, payload::jsonb, error, attempts from dead_letters where kind = $1 and actor_id = $2',
        ['channel', channelId],
      ),
    /** From now on a read of more than so many messages fails so; undefined: it succeeds. Gives how often one has failed. */
    failReads: (error: Error | undefined, most = 0, statement = 'chatapp.message_ids') => {
      failure = error;
      readable = most;
      failing = statement;
      return failures;
    },
    /** Webhooks that say nothing. */
    addEmpty: (webhooks: number) =>
      database.query(
        `with kept as (
           insert into chatapp_webhooks
             (request_id, project_id, environment_id, channel_id, waba_id, phone_number_id, received_at, body)
           select 'req_' || lpad(n::text, 8, '0'), $2, $3, $1, '1', '2', now(), '{}' from generate_series(1, $4::int) n
           returning channel_id, request_id
         )
         insert into chatapp_open_webhooks (channel_id, request_id, bytes) select channel_id, request_id, 2 from kept`,
        [channelId, projectId, environmentId, webhooks],
      ),
    /** Of each webhook, oldest first: whether it is finished, and while it is not how often it has failed; how it failed. */
    look: () =>
      database.query<{ isFinished: boolean; attempts: number; error: string | null; requestId: string }>(
        `select o.request_id is null as "isFinished", coalesce(o.attempts, 0) as attempts, w.error
         from chatapp_webhooks w left join chatapp_open_webhooks o using (channel_id, request_id)
         where w.channel_id = $1 order by request_id`,
        [channelId],
      ),
  };
}

const open = { isFinished: false, attempts: 0, error: null };
const finished = { isFinished: true, attempts: 0, error: null };
const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

t.test('a page is worked through as one, in the order in which its messages were sent', async t => {
  const seen: string[] = [];
  const { work, look } = await channelWith(
    ['late', 'early'],
    async ({ body }) => void seen.push(body),
    index => -index,
  );
  t.strictSame(await work(), { hasMore: false });
  t.strictSame(seen, ['early', 'late']);
  t.strictSame(await look(), [finished, finished]);
});

t.test('one page follows another, in their order', async t => {
  const texts = Array.from({ length: 1_001 }, (_, index) => String(index));
  const seen: string[] = [];
  const { work, look } = await channelWith(texts, async ({ body }) => void seen.push(body));
  t.strictSame(await work(), { hasMore: false });
  t.strictSame(seen, texts);
  t.ok((await look()).every(({ isFinished }) => isFinished));
});

t.test('a task leaves what is beyond its pages', async t => {
  const { work, look, addEmpty } = await channelWith([], async () => undefined);
  await addEmpty(4_001);
  t.strictSame(await work(), { hasMore: true });
  t.equal((await look()).filter(({ isFinished }) => isFinished).length, 4_000);
  t.strictSame(await work(), { hasMore: false });
  t.ok((await look()).every(({ isFinished }) => isFinished));
});

const refused = new ServiceError('svc/runtime/conflict');
const unknownErrors = [
  Object.assign(new Error('too many open files'), { code: 'EMFILE' }),
  Object.assign(new Error('password authentication failed'), { code: '28P01' }),
  Object.assign(new Error('could not write block'), { code: '58030' }),
  new ServiceError('svc/runtime/internal_error'),
  slow,
  new ServiceError('svc/runtime/unavailable', { details: { reason: 'deadline' } }),
];

t.test(
  'an unknown error is never the end of a webhook, and holds back the others only for a while',
  async t => {
    for (const unknown of unknownErrors) {
      const seen: string[] = [];
      let fails = true;
      const { work, workFor, look, letters } = await channelWith(
        ['good', 'bad', 'behind'],
        async ({ body }) => {
          if (body === 'bad' && fails) throw unknown;
          seen.push(body);
        },
      );
      t.match(await work(), { hasMore: false, nextAt: now + 1_000 });
      t.match(await look(), [finished, { isFinished: false, attempts: 1, error: String }, open]);
      for (let hints = 0; hints < 10; hints++) t.strictSame(await work(), { hasMore: false }, 'it backs off');
      t.match((await look())[1], { attempts: 1 });
      await workFor(120_000);
      t.strictSame([...new Set(seen)], ['good', 'behind'], 'it is overtaken');
      await workFor(7_200_000);
      t.ok(((await look())[1]?.attempts ?? 0) > 25, 'and retried without limit');
      t.strictSame(await letters(), []);
      fails = false;
      await workFor(600_000);
      t.strictSame([...new Set(seen)], ['good', 'behind', 'bad']);
      t.match(await look(), [finished, { isFinished: true }, finished]);
    }
  },
);

t.test('a webhook that an actor refuses again and again is a dead letter', async t => {
  let error: unknown = slow;
  const { workFor, look, letters } = await channelWith(['good', 'bad', 'behind'], async ({ body }) => {
    if (body === 'bad') throw error;
  });
  await workFor(60_000);
  error = refused;
  await workFor(86_400_000);
  t.match(await look(), [finished, { isFinished: true, error: /conflict/ }, finished]);
  t.match(await letters(), [{ name: 'reopenWebhook', payload: { requestId: /^req_/ }, error: /conflict/ }]);
});

const away = new ServiceError('svc/runtime/unavailable');
const waits = { hasMore: false, nextAt: now + 2_000 };

t.test('messages of a thread wait for the one before: where it fails, none overtakes it', async t => {
  const seen: string[] = [];
  let isAway = true;
  const { work, look, pass } = await channelWith(['one', 'two', 'three'], async ({ body }) => {
    seen.push(body);
    await new Promise(resolve => setImmediate(resolve));
    if (isAway && body === 'two') throw away;
  });
  t.strictSame(await work(), waits);
  t.strictSame(await work(), { hasMore: false }, 'though others come meanwhile');
  t.strictSame(seen, ['one', 'two']);
  t.strictSame(await look(), [open, open, open]);
  isAway = false;
  pass(2_000);
  t.strictSame(await work(), { hasMore: false });
  t.strictSame(seen, ['one', 'two', 'one', 'two', 'three']);
});

t.test('a page that takes too long is processed one by one', async t => {
  const texts = ['one', 'two', 'three'];
  const seen: string[] = [];
  const { work, look, pass, failReads } = await channelWith(texts, async ({ body }) => void seen.push(body));
  failReads(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), 1);
  await work();
  t.strictSame(seen, [], 'not where the database is away');
  pass(2_000);
  failReads(slow, 1);
  t.strictSame(await work(), { hasMore: false });
  t.equal(failReads(undefined), 2);
  t.strictSame(seen, texts);
  t.strictSame(
    await look(),
    texts.map(() => finished),
  );
});

t.test('so is one that takes too long to be read', async t => {
  const texts = ['one', 'two', 'three'];
  const seen: string[] = [];
  const { work, look, failReads } = await channelWith(texts, async ({ body }) => void seen.push(body));
  failReads(slow, 1, 'chatapp_webhooks.read');
  t.strictSame(await work(), { hasMore: false });
  t.ok(failReads(undefined) > 1);
  t.strictSame(seen, texts);
  t.strictSame(
    await look(),
    texts.map(() => finished),
  );
});

t.test('a node or a database that is away says nothing of a webhook, however often', async t => {
  for (const texts of [['one'], ['one', 'two']]) {
    const seen: string[] = [];
    let isAway = true;
    const { workFor, look, failReads } = await channelWith(texts, async ({ body }) => {
      if (isAway) throw away;
      seen.push(body);
    });
    await workFor(60_000);
    isAway = false;
    failReads(new Error('timeout exceeded when trying to connect'));
    await workFor(60_000);
    t.equal(failReads(undefined), 30);
    t.strictSame(
      await look(),
      texts.map(() => open),
    );
    t.strictSame(seen, []);
    await workFor(2_000);
    t.strictSame(seen, texts);
  }
});
