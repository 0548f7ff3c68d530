/** The rules of runtime/actor/store.ts on a real database. */
import t from 'tap';
import { derivedId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { DeadLetter } from '../../../runtime/actor/store.ts';
import { CommitNotifier } from '../../../storage/events/commit-notifier.ts';
import { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import type { Write } from '../../../storage/statements/statement.ts';
import { storeConformance } from '../../runtime/actor/store.conformance.ts';
import { startTestDatabase } from '../../support/database.ts';
import { key, threadsThatKeep } from './counters.ts';

interface Marked {
  readonly mark: string;
}

const marked = threadsThatKeep<Marked>({
  encode: state => ({ state: JSON.stringify(state) }),
  decode: row => row['state'] as Marked,
});

t.test('the rules of a store', async t => {
  const { database } = await startTestDatabase(t);
  let round = 0;
  storeConformance<Write>(t, async () => {
    await database.query('truncate reminders, dead_letters');
    const here = ++round;
    const open = (): PostgresStore =>
      new PostgresStore({ database, snapshots: [marked], notifier: new CommitNotifier(), log: silentLog });
    const [store, other] = [open(), open()];
    return {
      store,
      other,
      actor: name => ({ kind: 'thread', id: derivedId('thread', `${here}`, name) }),
      state: (_, mark) => ({ mark }),
      parseMark: state => (state as Marked).mark,
      writes: {
        unique: name => key(`${here}/${name}`),
      },
      letters: async () =>
        (
          await database.query<{ kind: string; actor_id: string } & Omit<DeadLetter, 'actor'>>(
            'select kind, actor_id, name, payload::jsonb, error, attempts from dead_letters order by dead_letter_id',
          )
        ).map(({ kind, actor_id: id, name, payload, error, attempts }) => ({
          actor: { kind, id },
          name,
          payload,
          error,
          attempts,
        })),
      close: async () => {
        await Promise.all([store.close(), other.close()]);
      },
    };
  });
});
