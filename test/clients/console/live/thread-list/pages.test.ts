/** The pages of a list: those that add no row, those that fail, and those of a search. */
import t from 'tap';
import { ThreadList, type ThreadListPort } from '../../../../../clients/console/live/thread-list.ts';
import type { QueueName } from '../../../../../clients/console/live/queues.ts';
import type { ListThreadsQuery, Page, Thread } from '../../../../../clients/sdk/index.ts';
import { create, createPort, Later, me, Server, settled, start, toInstant } from './listed-threads.ts';

/** A list of so many threads, of which the server looks at ten a page. */
class Scanned {
  readonly later = new Later();
  readonly asked: ListThreadsQuery[] = [];
  readonly list: ThreadList;
  readonly #fits: ReadonlySet<number>;
  #failures = 0;

  constructor(count: number, fits: readonly number[], name: QueueName = 'all') {
    this.#fits = new Set(fits);
    const port: ThreadListPort = {
      list: async query => {
        this.asked.push(query);
        if (this.#failures > 0) {
          this.#failures--;
          throw new Error('away');
        }
        const from = Number(query.cursor ?? 0);
        const numbers = Array.from({ length: Math.min(10, count - from) }, (_, index) => from + index);
        const data = numbers.filter(number => this.#fits.has(number)).map(number => this.#create(number));
        const hasMore = from + 10 < count;
        return { data, hasMore, nextCursor: hasMore ? String(from + 10) : null } as Page<Thread>;
      },
      get: async threadId => create(threadId),
      now: () => start,
      schedule: this.later.schedule,
    };
    this.list = new ThreadList(port, { name, filters: {}, userId: me });
  }

  fail(times: number): void {
    this.#failures = times;
  }

  #create(number: number): Thread {
    return { ...create(`thread_${number}`), lastMessageAt: toInstant(-number) };
  }
}

t.test('pages without a row are read on from, until one has a row', async t => {
  const { list, asked } = new Scanned(200, [53, 157]);
  await list.read();
  t.match(list.getState(), { phase: 'ready', order: ['thread_53'], hasMore: true, isFar: false });
  t.equal(asked.length, 6);
  await list.readMore();
  t.match(list.getState(), { order: ['thread_53', 'thread_157'], hasMore: true });
  await list.readMore();
  t.match(list.getState(), { order: ['thread_53', 'thread_157'], hasMore: false, isFar: false });
  t.equal(asked.length, 20);
});

t.test('what is far away is looked for when somebody asks', async t => {
  const { list, asked } = new Scanned(1_000, [3, 777]);
  await list.read();
  t.match(list.getState(), { order: ['thread_3'], hasMore: true });
  await list.readMore();
  t.match(list.getState(), { phase: 'ready', order: ['thread_3'], hasMore: true, isFar: true });
  t.equal(asked.length, 21, 'no further than a limit by itself');
  for (let round = 0; round < 3; round++) await list.readMore();
  t.match(list.getState(), { order: ['thread_3', 'thread_777'], isFar: false });
});

t.test('a further page that could not be read is asked for again', async t => {
  const scanned = new Scanned(200, [3, 53]);
  const { list, later } = scanned;
  await list.read();
  scanned.fail(2);
  await list.readMore();
  t.match(list.getState(), { phase: 'ready', error: { message: 'away' }, order: ['thread_3'] });
  for (let round = 0; round < 2; round++) {
    later.run();
    for (let turn = 0; turn < 12; turn++) await settled();
  }
  t.match(list.getState(), { error: undefined, order: ['thread_3', 'thread_53'] });
});

t.test('further pages are of the question of the first, whatever the time', async t => {
  let now = start;
  const asked: ListThreadsQuery[] = [];
  const port: ThreadListPort = {
    list: async query => {
      asked.push(query);
      const serviceWindow = { open: true, expiresAt: toInstant(60 + asked.length) };
      const data = [{ ...create(`thread_${asked.length}`), serviceWindow }];
      return { data, hasMore: asked.length < 2, nextCursor: 'next' } as unknown as Page<Thread>;
    },
    get: async threadId => create(threadId),
    now: () => now,
    schedule: new Later().schedule,
  };
  const list = new ThreadList(port, { name: 'closing', filters: {}, userId: me });
  await list.read();
  now += 3_600_000;
  await list.readMore();
  const [first, second] = asked;
  t.match(first, { sort: 'windowClosesAt', order: 'asc' });
  t.equal(second?.windowClosesBefore, first?.windowClosesBefore);
});

t.test('results of a search keep the order of the server, and no others come', async t => {
  const ranked = ['thread_c', 'thread_a', 'thread_b'];
  const later = new Later();
  const server = new Server('all');
  for (const threadId of [...ranked, 'thread_d']) server.write(threadId, 'inbound');
  const port: ThreadListPort = {
    ...createPort(server, later),
    list: async () => ({ data: ranked.map(threadId => create(threadId)), hasMore: false, nextCursor: null }),
  };
  const list = new ThreadList(port, { name: 'search', filters: { q: 'parcel' }, userId: me });
  await list.read();
  for (const threadId of ['thread_b', 'thread_d']) list.onEvent(server.write(threadId, 'inbound'));
  later.run();
  await settled();
  later.run();
  t.strictSame(list.getState().order, ranked);
  t.equal(list.getThread('thread_b')?.preview?.text, 'text 5');
});
