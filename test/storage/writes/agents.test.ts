/** What the commit of an agent's message requires of the agent, in a real PostgreSQL. */
import pg from 'pg';
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { requireAgent, type RequiredAgent } from '../../../storage/writes/agents.ts';
import { agentRows } from '../../actors/run/agent-rows.ts';
import { head } from '../../actors/run/run-harness.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { Counter, environmentId, openStore, outcomes, projectId } from '../commit/counters.ts';

t.test('what a message requires of its agent', async t => {
  const { database, url } = await startTestDatabase(t);
  const { store } = openStore(database);
  t.teardown(() => store.close());
  const channelId = newId('channel');
  await agentRows(database).agent({ projectId, environmentId }, head);
  await database.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, default_agent_id, version, state, created_at,
       updated_at) values ($1, $2, $3, 'c', 'custom', 'connected', $4, 1, '{}', now(), now())`,
    [channelId, projectId, environmentId, head.agentId],
  );
  const commit = (more: Partial<RequiredAgent> = {}, actor = new Counter()): Promise<void> => {
    const { agentId } = head;
    const own = { agentRunId: newId('run'), projectId, environmentId, agentId, threadId: newId('thread') };
    const write = requireAgent({ ...own, mode: 'auto', channelId, ...more });
    return store.commit(actor.next([write]));
  };
  const change = (table: string, set: string) => database.query(`update ${table} set ${set}`);

  await t.test('it is as it was read', async t => {
    const anyhow = { mode: null, channelId: null };
    t.strictSame(await outcomes([commit(), commit({ mode: null }), commit(anyhow)]), ['ok', 'ok', 'ok']);
  });

  await t.test('whatever has changed refuses the message, and no other', async t => {
    for (const [table, set, back, bySpeaking] of [
      ['agents', `mode = 'paused'`, `mode = 'auto'`, 'ok'],
      ['agents', `mode = 'suggest'`, `mode = 'auto'`, 'ok'],
      ['agents', `mode = null`, `mode = 'auto'`, 'ok'],
      ['agents', `archived_at = now()`, `archived_at = null`, 'Duplicate'],
      ['agents', `loom_id = null`, `loom_id = '${head.loomId}'`, 'Duplicate'],
      ['looms', `status = 'archived'`, `status = 'active'`, 'Duplicate'],
      ['looms', `active_version_id = null`, `active_version_id = '${head.loomVersionId}'`, 'Duplicate'],
    ] as const) {
      await change(table, set);
      // Beside commits that require nothing.
      const others = [store.commit(new Counter().next()), commit({ mode: null, channelId: null })];
      t.strictSame(await outcomes([commit(), ...others]), ['Duplicate', 'ok', bySpeaking], set);
      await change(table, back);
    }
    await change('channels', 'default_agent_id = null');
    t.strictSame(await outcomes([commit(), commit({ channelId: null })]), ['Duplicate', 'ok']);
    await change('channels', `default_agent_id = '${head.agentId}'`);
    const foreign = { environmentId: newId('environment') };
    t.strictSame(await outcomes([commit(foreign), commit()]), ['Duplicate', 'ok']);
  });

  await t.test('a loom version says what the agent does not', async t => {
    await change('agents', 'mode = null');
    await change('loom_versions', `mode = 'auto'`);
    t.strictSame(await outcomes([commit()]), ['ok']);
    await change('loom_versions', `mode = 'suggest'`);
    t.strictSame(await outcomes([commit()]), ['Duplicate']);
    await change('agents', `mode = 'auto'`);
  });

  await t.test(
    'the version that answers the thread says it, also where that is the one of a split',
    async t => {
      const loomVersionId = newId('loomVersion');
      await database.query(
        `insert into loom_versions (loom_version_id, project_id, environment_id, loom_id, version, status, system_prompt, provider,
         model, mode, created_at)
       values ($1, $2, $3, $4, 2, 'published', 'Answer.', 'llm_provider_1', 'm', 'suggest', now())`,
        [loomVersionId, projectId, environmentId, head.loomId],
      );
      await change('agents', 'mode = null');
      await database.query(`update loom_versions set mode = 'auto' where loom_version_id = $1`, [
        head.loomVersionId,
      ]);
      const split = (percent: number) =>
        change(
          'agents',
          `split_id = 's', split_version_id = '${loomVersionId}', split_percent = ${percent}, split_activation = 0`,
        );
      await split(0);
      t.strictSame(await outcomes([commit()]), ['ok']);
      await split(100);
      t.strictSame(await outcomes([commit(), commit({ mode: 'suggest' })]), ['Duplicate', 'ok']);
      // Some threads, and not others.
      await split(50);
      const both = Array.from({ length: 64 }, () => commit());
      t.strictSame(new Set(await outcomes(both)), new Set(['ok', 'Duplicate']));
      await change('looms', 'last_activation = 1');
      t.strictSame(await outcomes([commit()]), ['ok'], 'an activation ends it');
      await change('looms', 'last_activation = 0');
      await change(
        'agents',
        `mode = 'auto', split_id = null, split_version_id = null, split_percent = null, split_activation = null`,
      );
    },
  );

  await t.test('a change under way counts, and is waited for without a lock on the snapshot', async t => {
    for (const [end, expected] of [
      ['rollback', 'ok'],
      ['commit', 'Duplicate'],
    ] as const) {
      const changer = new pg.Client({ connectionString: url });
      await changer.connect();
      await changer.query('begin');
      await changer.query(`update agents set mode = 'paused'`);
      const actor = new Counter();
      await store.commit(actor.next());
      const committed = outcomes([commit({}, actor)]);
      await eventually('wait for the change', async () => {
        const waiting = await database.query(
          `select from pg_stat_activity where datname = current_database() and application_name like 'skein lane%'
             and wait_event_type = 'Lock'`,
        );
        return waiting.length === 1;
      });
      await changer.query('select from threads where thread_id = $1 for update nowait', [actor.id]);
      await changer.query(end);
      t.strictSame(await committed, [expected]);
      await changer.end();
    }
  });
});
