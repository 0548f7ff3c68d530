/** What a busy thread costs its indexes. */
import t from 'tap';
import { startTestDatabase } from '../../support/database.ts';

t.test('a thread that changes within a second keeps its index entries, however it is sorted', async t => {
  const { database } = await startTestDatabase(t);
  await database.query(
    `insert into threads (thread_id, project_id, environment_id, status, last_message_at, active_second, created_at, updated_at,
       updated_second, waiting_since, window_minute, state, version)
     values ('thread_1', 'prj_1', 'env_1', 'open', to_timestamp(100), 100, to_timestamp(100), to_timestamp(100), 100,
       to_timestamp(90), 1441, '{}', 1)`,
  );
  /** Whether a message at the instant is an update that leaves the indexes alone. */
  const isHot = (at: number): Promise<boolean> =>
    database.em().transactional(async em => {
      const countHot = async (): Promise<number> => {
        const [row] = await em.execute<{ hot: string }[]>(
          `select n_tup_hot_upd as hot from pg_stat_xact_user_tables where relname = 'threads'`,
        );
        return Number(row?.hot);
      };
      const before = await countHot();
      await em.execute(
        `update threads set last_message_at = to_timestamp(${at}), updated_at = to_timestamp(${at}),
           active_second = floor(${at}), updated_second = floor(${at}),
           waiting_since = to_timestamp(90), window_minute = floor(${at} / 60) + 1440, version = version + 1`,
      );
      return (await countHot()) > before;
    });
  t.equal(await isHot(100.5), true, 'a second message within the second');
  t.equal(await isHot(101.5), false, 'the next second');
});
