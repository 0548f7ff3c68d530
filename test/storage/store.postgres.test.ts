/** The laws of runtime/store.ts on a real database. */
import t from 'tap';
import { derivedId, newId } from '../../protocol/ids.ts';
import { silentLog } from '../../runtime/log.ts';
import type { DeadLetter } from '../../runtime/store.ts';
import { News } from '../../storage/news.ts';
import { PostgresStore } from '../../storage/postgres-store.ts';
import { snapshotTable } from '../../storage/snapshot.ts';
import type { Write } from '../../storage/statement.ts';
import { rememberKey } from '../../storage/writes.ts';
import { storeConformance } from '../runtime/store.conformance.ts';
import { startTestDatabase } from '../support/database.ts';

const at = '2026-11-20T10:00:00.000Z';
const projectId = newId('project');
const environmentId = newId('environment');

interface Marked {
  readonly mark: string;
}

/** Threads that carry a mark: the columns are the real table's. */
const marked = snapshotTable<Marked>({
  kind: 'thread',
  table: 'threads',
  key: 'thread_id',
  fixed: { project_id: 'text', environment_id: 'text', created_at: 'timestamptz' },
  columns: {
    status: 'text',
    last_message_at: 'timestamptz',
    active_second: 'bigint',
    updated_at: 'timestamptz',
    state: 'jsonb',
  },
  encode: state => ({
    ...{ project_id: projectId, environment_id: environmentId, created_at: at, status: 'open' },
    ...{ last_message_at: at, active_second: 0, updated_at: at, state: JSON.stringify(state) },
  }),
  decode: row => row['state'] as Marked,
});

t.test('the laws', async t => {
  const { database } = await startTestDatabase(t);
  let round = 0;
  storeConformance<Write>(t, async () => {
    await database.query('truncate reminders, dead_letters');
    const here = ++round;
    const open = (): PostgresStore =>
      new PostgresStore({ database, snapshots: [marked], news: new News(), log: silentLog });
    const [store, other] = [open(), open()];
    return {
      ...{ store, other },
      actor: name => ({ kind: 'thread', id: derivedId('thread', `${here}`, name) }),
      state: (_, mark) => ({ mark }),
      markOf: state => (state as Marked).mark,
      writes: {
        unique: key => {
          const hash = Buffer.from(`${here}/${key}`.padEnd(32)).toString('base64');
          return rememberKey({
            keyHash: hash,
            fingerprint: hash,
            status: 201,
            answer: { body: '{}' },
            createdAt: at,
          });
        },
      },
      letters: async () =>
        (
          await database.query<{ kind: string; actor_id: string } & Omit<DeadLetter, 'actor'>>(
            'select kind, actor_id, name, payload::jsonb, error, attempts from dead_letters order by dead_letter_id',
          )
        ).map(({ kind, actor_id: id, name, payload, error, attempts }) => ({
          actor: { kind, id },
          ...{ name, payload, error, attempts },
        })),
      close: async () => {
        await Promise.all([store.close(), other.close()]);
      },
    };
  });
});
