/** A failover is noticed on the first connection to the new server, before that is used. */
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Timeline, type ServerHistory } from '../../../storage/database/timeline.ts';

/** A database whose row survives its servers. */
class Cluster {
  generation = -1;
  named = '';

  /** A connection to the server of that history. */
  connect(server: ServerHistory & { readonly hides?: boolean }): pg.Client & { readonly isCut: boolean } {
    const client = Object.assign(new EventEmitter(), {
      isCut: false,
      connection: { stream: { destroy: () => (client.isCut = true) } },
      query: (text: string): Promise<unknown> => Promise.resolve({ rows: [this.#answer(text, server)] }),
    });
    return client as unknown as pg.Client & { readonly isCut: boolean };
  }

  #answer(text: string, { system, timeline, hides }: ServerHistory & { readonly hides?: boolean }): object {
    if (text.includes('pg_control_system')) {
      if (hides === true) throw Object.assign(new DatabaseError('no', 2, 'error'), { code: '0A000' });
      return { standby: false, system, timeline: timeline.toString(16).padStart(8, '0') };
    }
    if (text.includes('insert')) {
      const name = `${system} ${timeline}`;
      if (name !== this.named) this.generation++;
      this.named = name;
    }
    return { standby: false, generation: this.generation };
  }
}

const old = { system: '7', timeline: 15 };
const promoted = { system: '7', timeline: 16 };

async function follow(cluster: Cluster): Promise<{ timeline: Timeline; changes: number[] }> {
  const timeline = new Timeline(silentLog);
  const changes: number[] = [];
  timeline.onChange(() => changes.push(cluster.generation));
  await timeline.follow(cluster.connect(old));
  return { timeline, changes };
}

t.test('a newer timeline cuts what leads to the old server, and is told once, after the row', async t => {
  const cluster = new Cluster();
  const { timeline, changes } = await follow(cluster);
  const [first, closed] = [cluster.connect(old), cluster.connect(old)];
  await Promise.all([first, closed].map(client => timeline.admit(client)));
  closed.emit('end');
  t.same([timeline.generation, changes], [0, []]);

  const later = [cluster.connect(promoted), cluster.connect(promoted)];
  await Promise.all(later.map(client => timeline.admit(client)));
  t.same([timeline.generation, changes], [1, [1]]);
  t.same(
    [first, closed, ...later].map(({ isCut }) => isCut),
    [true, false, false, false],
  );
  await t.rejects(timeline.admit(cluster.connect(old)), { name: 'StandbyServer' }, 'the former primary');

  await timeline.admit(cluster.connect({ system: '8', timeline: 1 }));
  t.same([timeline.generation, changes], [2, [1, 2]], 'a restored dump');
});

t.test(
  'a node that starts after the failover writes the row, and one that was slower does not raise it again',
  async t => {
    const cluster = new Cluster();
    const slow = await follow(cluster);
    await new Timeline(silentLog).follow(cluster.connect(promoted));
    t.equal(cluster.generation, 1);
    await slow.timeline.admit(cluster.connect(promoted));
    t.same([slow.timeline.generation, slow.changes], [1, [1]]);
  },
);

t.test('a service that hides the history of its servers is used as it is', async t => {
  const cluster = new Cluster();
  const timeline = new Timeline(silentLog);
  await timeline.follow(cluster.connect({ ...old, hides: true }));
  await timeline.admit(cluster.connect({ ...promoted, hides: true }));
  t.equal(timeline.generation, 0);
});
