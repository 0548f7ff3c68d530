import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import { usagePage } from '../../../storage/usage/usage-report.ts';
import { sweep } from '../../../storage/retention/sweep.ts';
import { rollUpDeliveries } from '../../../storage/usage/count-deliveries.ts';
import { countUsage } from '../../../storage/usage/count-usage.ts';
import { accountServices, type Person } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database: db } = await startTestDatabase(t);
const { newPerson } = accountServices(db);
const day = 86_400_000;
const noon = Date.parse('2026-11-20T12:00:00Z');
await ensurePartitions(db, noon, silentLog);

/** Appends events, as commits do: numbers are taken under the lock of the project's stream, in the same statement. */
async function append(
  { projectId, environmentId }: Pick<Person, 'projectId' | 'environmentId'>,
  eventName: string,
  count: number,
  at = noon,
  channelId: string | null = null,
): Promise<void> {
  await db.query(
    `with head as (
       update project_streams set last_seq = last_seq + $4, uncounted = true where project_id = $1 returning last_seq - $4 as base
     )
     insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, channel_id, body)
     select $1, base + n, 'evt_' || n, $3, $5, $2, $6, '{}' from head, generate_series(1, $4::int) n`,
    [projectId, environmentId, eventName, count, new Date(at), channelId],
  );
}

const received = 'thread.message.received';
const created = 'thread.message.created';

async function days(person: Pick<Person, 'projectId' | 'environmentId'>): Promise<unknown[]> {
  const { projectId, environmentId } = person;
  const span = { projectId, environmentId, from: '2026-11-01', to: '2026-11-30' };
  const rows = await usagePage(db, { ...span, groupBy: 'day', after: undefined, limit: 100 });
  return rows.map(row => [row.key, row.messagesInbound, row.messagesOutbound]);
}

t.test('messages count by day and environment, whether or not they were rolled up', async t => {
  const person = await newPerson();
  const production = { projectId: person.projectId, environmentId: 'env_production' };
  const midnight = Date.parse('2026-11-21T00:00:00Z');
  await append(person, received, 3, midnight - 1);
  await append(person, received, 2, midnight);
  await append(person, created, 4, midnight);
  await append(person, 'thread.status.changed', 5, midnight);
  await append(production, received, 7, midnight);
  const expected = [
    ['2026-11-20', 3, 0],
    ['2026-11-21', 2, 4],
  ];
  t.same(await days(person), expected, 'before');
  await countUsage(db);
  t.same(await days(person), expected, 'after');
  await countUsage(db);
  t.same(await days(person), expected, 'and once more');
  await append(person, received, 1, midnight);
  t.same(await days(person), [expected[0], ['2026-11-21', 3, 4]], 'what came since');
  t.same(await days(production), [['2026-11-21', 7, 0]]);
});

/** What a report has, by channel: inbound, outbound, runs. */
async function channels(person: Pick<Person, 'projectId' | 'environmentId'>): Promise<unknown[]> {
  const { projectId, environmentId } = person;
  const span = { projectId, environmentId, from: '2026-11-01', to: '2026-11-30' };
  const rows = await usagePage(db, { ...span, groupBy: 'channel', after: undefined, limit: 100 });
  return rows.map(row => [row.key, row.messagesInbound, row.messagesOutbound, row.agentRuns]);
}

t.test('messages and runs by channel, whether or not they were rolled up', async t => {
  const person = await newPerson();
  const { projectId, environmentId } = person;
  await append(person, received, 3, noon - day, 'ch_1');
  await append(person, received, 2, noon, 'ch_1');
  await append(person, created, 4, noon, 'ch_2');
  await append(person, created, 1, noon);
  await append({ projectId, environmentId: 'env_production' }, received, 7, noon, 'ch_9');
  await db.query(
    `insert into threads (thread_id, project_id, environment_id, channel_id, status, state, version, last_message_at, active_second, created_at,
       updated_at) values ($1, $2, $3, 'ch_2', 'open', '{}', 1, now(), 0, now(), now())`,
    [`thread_${projectId}`, projectId, environmentId],
  );
  await db.query(
    `insert into agent_runs (agent_run_id, project_id, environment_id, thread_id, status, provider, model, mode, created_at, updated_at, state,
       version)
     select $1 || n, $2, $3, case when n < 3 then $4 end, 'succeeded', 'llm_provider_1', 'm', 'auto', $5, $5, '{}', 1
     from generate_series(1, 3) n`,
    [`run_${projectId}`, projectId, environmentId, `thread_${projectId}`, new Date(noon)],
  );
  const expected = [
    ['', 0, 1, 1],
    ['ch_1', 5, 0, 0],
    ['ch_2', 0, 4, 2],
  ];
  t.same(await channels(person), expected, 'before');
  await countUsage(db);
  t.same(await channels(person), expected, 'after');
  await append(person, received, 1, noon, 'ch_1');
  t.same(await channels(person), [expected[0], ['ch_1', 6, 0, 0], expected[2]], 'what came since');
  await countUsage(db);
  // As a node counts that does not know channels.
  await db.query(
    `insert into usage_days (project_id, environment_id, day, messages_inbound, messages_outbound) values ($1, $2, '2026-11-02', 8, 9)`,
    [projectId, environmentId],
  );
  t.same((await channels(person))[0], ['', 8, 10, 1], 'what was counted without its channel');
});

t.test('deliveries by day, before their hours are taken and after', async t => {
  const person = await newPerson();
  const { projectId, environmentId } = person;
  const midnight = Date.parse('2026-11-21T00:00:00Z');
  const stitch = `stitch_${projectId}`;
  for (const [stitchId, environment] of [
    [stitch, environmentId],
    [`${stitch}_production`, 'env_production'],
  ] as const) {
    await db.query(
      `insert into stitches (stitch_id, project_id, environment_id, name, status, created_at, updated_at, state, version)
       values ($1, $2, $3, '', 'active', now(), now(), '{}', 1)`,
      [stitchId, projectId, environment],
    );
    await db.query(
      `insert into stitch_hours (stitch_id, hour, duration_class, succeeded, failed) values ($1, $2, 3, 5, 2), ($1, $2, 9, 1, 0), ($1, $3, 3, 4, 0)`,
      [stitchId, new Date(midnight - 3_600_000), new Date(midnight)],
    );
  }
  const read = async () => {
    const span = { projectId, environmentId, from: '2026-11-20', to: '2026-11-30' };
    const rows = await usagePage(db, { ...span, groupBy: 'day', after: undefined, limit: 100 });
    return rows.map(row => [row.key, row.deliveries, row.deliveryAttempts, row.messagesInbound]);
  };
  const expected = [
    ['2026-11-20', 6, 8, 0],
    ['2026-11-21', 4, 4, 0],
  ];
  t.same(await read(), expected, 'before');
  await Promise.all([1, 2, 3].map(() => rollUpDeliveries(db, new Date(midnight - 3_600_000))));
  t.same(await read(), expected, 'one of them taken, by several nodes at once');
  const left = await db.query('select 1 from stitch_hours where stitch_id = $1', [stitch]);
  t.equal(left.length, 1);
  await append(person, received, 3, midnight);
  await countUsage(db);
  await rollUpDeliveries(db, new Date(midnight));
  t.same(await read(), [expected[0], ['2026-11-21', 4, 4, 3]], 'all of them');
});

t.test('nodes that count at once count once, while messages come in', async t => {
  const people = await Promise.all([newPerson(), newPerson(), newPerson()]);
  const rounds = 12;
  const writing = people.map(async person => {
    for (let i = 0; i < rounds; i++) await append(person, received, 5);
  });
  let written = false;
  const counting = [1, 2, 3].map(async () => {
    while (!written) await countUsage(db);
  });
  await Promise.all(writing);
  written = true;
  await Promise.all(counting);
  await countUsage(db);
  for (const person of people) {
    t.same(await days(person), [['2026-11-20', rounds * 5, 0]]);
    const [row] = await db.query('select messages_inbound as n from usage_days where project_id = $1', [
      person.projectId,
    ]);
    t.same(row, { n: rounds * 5 }, 'all of it is rolled up');
  }
});

t.test('a count that does not commit leaves nothing behind', async t => {
  const person = await newPerson();
  await append(person, received, 5);
  // Whatever the statement does, it fails at its very end.
  await db.query(`create function fail() returns trigger language plpgsql as $$ begin raise 'crash'; end $$`);
  await db.query(
    `create constraint trigger crash after insert on usage_days deferrable initially deferred for each row execute function fail()`,
  );
  await t.rejects(countUsage(db), { errors: [{ message: 'crash' }] });
  t.same(await days(person), [['2026-11-20', 5, 0]]);
  await db.query('drop trigger crash on usage_days');
  await countUsage(db);
  t.same(await days(person), [['2026-11-20', 5, 0]]);
});

t.test('a backlog is worked off piece by piece', async t => {
  const person = await newPerson();
  await append(person, received, 25_001);
  await countUsage(db);
  const [mark] = await db.query('select seq from usage_marks where project_id = $1', [person.projectId]);
  t.same(mark, { seq: 25_001 });
  t.same(await days(person), [['2026-11-20', 25_001, 0]]);
});

t.test('a project that cannot be counted keeps no other from it, nor their events from going', async t => {
  const [poor, fine] = await Promise.all([newPerson(), newPerson()]);
  await append(poor, received, 3);
  await append(fine, received, 4);
  await append(fine, received, 1, noon - day);
  await db.query(
    `create function refuse() returns trigger language plpgsql as $$
     begin if new.project_id = '${poor.projectId}' then raise 'refused'; end if; return new; end $$`,
  );
  await db.query(`create trigger refuse before insert on usage_days for each row execute function refuse()`);
  const countEvents = async ({ projectId }: Pick<Person, 'projectId'>): Promise<number> =>
    (await db.query('select 1 from events where project_id = $1', [projectId])).length;

  await t.rejects(countUsage(db), { message: 'usage of 1 projects was not counted' });
  t.same(await db.query(`select project_id from project_streams where uncounted`), [
    { project_id: poor.projectId },
  ]);
  const later = noon + 45 * day;
  await t.rejects(sweep({ database: db, hash: testHash, log: silentLog }, later), {
    message: 'jobs of the sweep failed: countUsage',
  });
  t.equal(await countEvents(poor), 3, 'what has not been counted is kept');
  t.equal(await countEvents(fine), 4, 'with the partition that it is in, and no other');
  t.same(await days(fine), [
    ['2026-11-19', 1, 0],
    ['2026-11-20', 4, 0],
  ]);
  await db.query('drop trigger refuse on usage_days');
  await sweep({ database: db, hash: testHash, log: silentLog }, later);
  t.equal((await countEvents(poor)) + (await countEvents(fine)), 0);
  t.same(await days(poor), [['2026-11-20', 3, 0]], 'nothing is lost');
});

t.test('counted usage outlives its events', async t => {
  const person = await newPerson();
  await append(person, received, 6);
  await sweep({ database: db, hash: testHash, log: silentLog }, noon + 40 * day);
  t.same(await db.query('select 1 from events where project_id = $1', [person.projectId]), []);
  t.same(await days(person), [['2026-11-20', 6, 0]]);
});

t.test('idle projects are skipped', async t => {
  const person = await newPerson();
  await append(person, received, 2);
  const asked: unknown[] = [];
  const watched = {
    query: (text: string, values?: unknown[]) => {
      asked.push(...[values].flat(2));
      return db.query(text, values);
    },
  } as Pick<typeof db, 'query'>;
  await countUsage(watched);
  t.ok(asked.includes(person.projectId));
  asked.length = 0;
  await countUsage(watched);
  t.same(asked, ['countUsage', ''], 'no statement about a project');
});

t.test('runs count by day, agent, model and provider', async t => {
  const { projectId, environmentId } = await newPerson();
  const run = (n: number, changes: Record<string, unknown> = {}) => {
    const row = {
      agent_run_id: `run_${n}`,
      project_id: projectId,
      environment_id: environmentId,
      agent_id: 'agt_1',
      status: 'succeeded',
      provider: 'llm_provider_1',
      model: 'small',
      mode: 'auto',
      state: {},
      version: 1,
      tool_call_count: 1,
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      estimated_cost_micros: 100,
      trace: {},
      metadata: {},
      created_at: new Date(noon),
      updated_at: new Date(noon),
      ...changes,
    };
    return db.query(`insert into agent_runs select * from jsonb_populate_record(null::agent_runs, $1)`, [
      JSON.stringify(row),
    ]);
  };
  await run(1);
  await run(2, { model: 'large', provider: 'llm_provider_2' });
  await run(3, { agent_id: null, total_tokens: null, prompt_tokens: null, completion_tokens: null });
  await run(4, { created_at: new Date(noon + day) });
  await run(5, { environment_id: 'env_other' });
  const groups = async (groupBy: 'day' | 'agent' | 'model' | 'provider', after?: string) => {
    const span = { projectId, environmentId, from: '2026-11-20', to: '2026-11-20', groupBy, after };
    const rows = await usagePage(db, { ...span, limit: 100 });
    return rows.map(row => [row.key, row.agentRuns, row.totalTokens, row.toolCalls, row.estimatedCostMicros]);
  };
  t.same(await groups('day'), [['2026-11-20', 3, 30, 3, 300]]);
  t.same(await groups('agent'), [
    ['', 1, 0, 1, 100],
    ['agt_1', 2, 30, 2, 200],
  ]);
  t.same(await groups('model'), [
    ['large', 1, 15, 1, 100],
    ['small', 2, 15, 2, 200],
  ]);
  t.same(await groups('model', 'large'), [['small', 2, 15, 2, 200]], 'the next page');
  t.same(await groups('provider'), [
    ['llm_provider_1', 2, 15, 2, 200],
    ['llm_provider_2', 1, 15, 1, 100],
  ]);
});
