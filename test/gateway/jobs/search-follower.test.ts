/** What was written is taken up for searches, however far the follower is behind. */
import t from 'tap';
import { startSearchFollower } from '../../../gateway/jobs/search-follower.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { searchThreads } from '../../../storage/search/find.ts';
import { createSpeaker, start } from '../../storage/search/speaker.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const { database } = await startTestDatabase(t);
const say = createSpeaker(database);

const isFound = async (word: string): Promise<boolean> => {
  const scope = { projectId: 'prj_far', environmentId: 'env_far', q: word, limit: 10, now: start };
  return (await searchThreads(database, scope)).length > 0;
};

t.test('the node that leads takes up all there is, and goes on after a failure', async t => {
  const rest = Array.from({ length: 4_500 }, (_, n) => ({ thread: n % 40, body: 'hello again' }));
  await say('far', [...rest, { thread: 1, body: 'umbrella' }]);
  const asked: boolean[] = [];
  const warned: unknown[] = [];
  let leads = false;
  let fails = true;
  const node = {
    get isLeader() {
      asked.push(leads);
      return leads;
    },
  };
  const query: typeof database.query = (...given) =>
    fails ? Promise.reject(new Error('down')) : database.query(...given);
  const log = Object.assign(Object.create(silentLog) as typeof silentLog, {
    warn: (what: { readonly err: Error }) => void warned.push(what.err.message),
  });
  const stop = startSearchFollower({ database: { query }, node, log, countCommits: () => 0 });
  await eventually('question who leads', () => Promise.resolve(asked.length > 0));
  t.notOk(await isFound('umbrella'), 'another node leads');
  leads = true;
  await eventually('failure', () => Promise.resolve(warned.length > 0));
  t.strictSame(warned, ['down']);
  fails = false;
  await eventually('message', () => isFound('umbrella'));
  await stop();
  const { length } = asked;
  await say('far', [{ thread: 2, body: 'parasol' }]);
  t.notOk(await isFound('parasol'));
  t.equal(asked.length, length, 'it has stopped');
});
