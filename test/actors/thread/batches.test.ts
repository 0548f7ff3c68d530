/**
 * What the commits of one thread leave behind in one batch is what they leave behind one after the other: the statements of a batch run in an
 * order of their own.
 */
import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { Chain, Commit } from '../../../runtime/actor/store.ts';
import { threadSnapshot } from '../../../actors/thread/snapshot.ts';
import { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import { CommitNotifier } from '../../../storage/events/commit-notifier.ts';
import type { Write } from '../../../storage/statements/statement.ts';
import { startTestDatabase } from '../../support/database.ts';
import { human, tenancy, ThreadHarness } from './thread-harness.ts';

const { database } = await startTestDatabase(t);
await database.query(`insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e')`, [
  tenancy.projectId,
]);
const store = new PostgresStore({
  database,
  snapshots: [threadSnapshot],
  notifier: new CommitNotifier(),
  log: silentLog,
});
t.teardown(() => store.close());

/** A thread that decides in memory, as an activation does, and commits what it has decided. */
class Thread {
  readonly harness = new ThreadHarness();
  #version = 0;
  #chain: Chain = { broken: false };

  /** Decides, and gives the commit. */
  decide(act: (harness: ThreadHarness) => unknown): Commit<Write> {
    const from = this.harness.writes.length;
    this.harness.now += 1_000;
    act(this.harness);
    const base = this.#version++;
    return {
      actor: { kind: 'thread', id: this.harness.id },
      base,
      chain: this.#chain,
      snapshot: { version: base + 1, state: this.harness.state },
      writes: this.harness.writes.slice(from),
      remind: [],
      forget: [],
    };
  }

  /** What is stored of its participant's name, and up to where it is to be erased. */
  async stored(): Promise<unknown> {
    const [row] = await database.query(
      `select t.external_ref as name, t.state ->> 'sequence' as sequence, e.through
       from threads t left join erasures e on e.thread_id = t.thread_id where t.thread_id = $1`,
      [this.harness.id],
    );
    return row;
  }
}

type Act = (harness: ThreadHarness) => unknown;

const message: Act = harness => harness.receive('hello', 'Maria');
const erase: Act = harness => harness.do('erase', { ...tenancy, author: human });

const schedules: Readonly<Record<string, readonly Act[]>> = {
  'a message and an erasure': [message, erase],
  'an erasure, and a message of the participant, who returns': [message, erase, message],
  'a participant who has returned, and a second erasure': [message, erase, message, erase],
  'two erasures between messages': [message, erase, message, erase, message],
};

for (const [name, acts] of Object.entries(schedules)) {
  t.test(name, async t => {
    const [single, joint] = [new Thread(), new Thread()];
    for (const act of acts) await store.commit(single.decide(act));
    const before = store.stats.transactions;
    await Promise.all(acts.map(act => store.commit(joint.decide(act))));
    t.equal(store.stats.transactions, before + 1, 'one transaction');
    t.same(await joint.stored(), await single.stored());
    const { externalRef } = joint.harness.state;
    t.match(await joint.stored(), { name: externalRef }, 'the row says what the thread knows');
  });
}
