/** The service put together: members that say nothing, moves of shards, stitches that two nodes have seen. */
import t from 'tap';
import type { NodeReport } from '../../../gateway/system/node-report.ts';
import { groupMoves, SystemReader } from '../../../gateway/system/system.ts';
import type { ClusterStatus, ShardStatus } from '../../../runtime/cluster/status.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { createReport } from './report-fixture.ts';

const clock = new VirtualClock();
const now = clock.now();

const shard = (number: number, more: Partial<ShardStatus>): ShardStatus => ({
  shard: number,
  owner: 'one',
  state: 'held',
  since: now - 60_000,
  cause: 'first',
  from: null,
  desired: 'one',
  why: '',
  ...more,
});

const member = (id: string, release = '1.0.0'): ClusterStatus['nodes'][number] => ({
  id,
  incarnation: id,
  release,
  wire: 2,
  state: 'settled',
  since: now - 3_600_000,
  lastSeenMs: 40,
  address: null,
});

/** Rows by the name of the statement. */
const db = {
  query: (_text: string, values: readonly unknown[] = [], name = ''): Promise<never[]> => {
    const rows: Readonly<Record<string, readonly object[]>> = {
      'system.database': [{ version: '18', connections: 9, maxConnections: 100, waitingForLocks: 0 }],
      'system.count_given_up': [{ count: 1_001 }],
      'system.given_up': [
        { kind: 'stitch', actorId: 'stc_1', name: 'retry', attempts: 9, createdAt: new Date(now) },
      ],
      'system.stitch_places': [values[0]].flat().map(stitchId => ({ stitchId })),
    };
    return Promise.resolve((rows[name] ?? []) as never[]);
  },
};

function createReader(
  cluster: Partial<ClusterStatus> | undefined,
  reports: readonly NodeReport[],
  isConnected: boolean | undefined = true,
) {
  const asked: string[] = [];
  const describe = (): ClusterStatus | undefined =>
    cluster && {
      self: 'one',
      state: 'settled',
      leasedMs: 2_000,
      nodes: [],
      lost: [],
      shards: [],
      ...cluster,
    };
  const reader = new SystemReader({
    nodeId: 'one',
    release: '1.0.0',
    shards: 4,
    db,
    clock,
    describeCluster: describe,
    isConnected: () => (cluster === undefined ? undefined : isConnected),
    reports: {
      ask(others) {
        asked.push(...others);
        return Promise.resolve([...reports]);
      },
    },
  });
  return { reader, asked };
}

t.test('a silent node of this release is sick; of another it is not known', async t => {
  const nodes = [member('one'), member('two'), member('old', '0.9.0')];
  const { reader, asked } = createReader({ nodes }, [createReport('one')]);
  const { faults, nodes: shown } = await reader.read();
  t.strictSame(asked, ['two', 'old']);
  t.match(faults, [{ name: 'SkeinDown', severity: 'page', nodeIds: ['two'] }]);
  t.strictSame(
    shown.map(({ nodeId, report }) => [nodeId, report === null]),
    [
      ['one', false],
      ['two', true],
      ['old', true],
    ],
  );
});

t.test('a node that died is named until it is back, whoever has seen it', async t => {
  const nodes = [member('one'), member('two'), member('back')];
  const reports = [
    createReport('one', { lost: ['dead'] }),
    createReport('two', { lost: ['dead', 'hung', 'one', 'back'] }),
    createReport('back'),
  ];
  const { reader } = createReader({ nodes }, reports);
  t.match((await reader.read()).faults, [{ name: 'SkeinDown', nodeIds: ['dead', 'hung'] }]);
});

t.test('who asks within a second gets the same answer, which costs nobody anything', async t => {
  const { reader, asked } = createReader({ nodes: [member('one'), member('two')] }, [createReport('one')]);
  const [first, meanwhile] = await Promise.all([reader.read(), reader.read()]);
  t.equal(meanwhile, first);
  t.equal(await reader.read(), first);
  t.strictSame(asked, ['two']);
  await clock.advance(1_000);
  t.not(await reader.read(), first);
  t.strictSame(asked, ['two', 'two']);
});

t.test('a node that is cut off hears nobody, and says that of itself alone', async t => {
  const own = createReport('one', { node: { status: 'failed', failedChecks: ['cluster'] } });
  const { reader } = createReader({ nodes: [member('one'), member('two')] }, [own], false);
  t.match(await reader.read(), {
    nats: { connected: false },
    faults: [{ name: 'SkeinNotReady', nodeIds: ['one'] }],
  });
  const { reader: outside } = createReader({ nodes: [member('two')] }, [own], false);
  t.match((await outside.read()).nodes, [{ nodeId: 'one', state: 'joining' }, { nodeId: 'two' }]);
});

t.test(
  'shards that went one way are one move, the newest first; old ones and first owners are none',
  async t => {
    const moves = groupMoves(
      [
        shard(0, { cause: 'takeover', from: 'two', since: now - 9_000 }),
        shard(1, { cause: 'takeover', from: 'two', since: now - 8_000 }),
        shard(2, { cause: 'handover', from: 'one', owner: 'three', since: now - 1_000 }),
        shard(3, { cause: 'handover', from: 'two', since: now - 16 * 60_000 }),
        shard(4, {}),
        shard(5, { cause: 'takeover', from: 'two', owner: null, since: now }),
      ],
      now,
    );
    t.strictSame(moves, [
      {
        cause: 'handover',
        fromNodeId: 'one',
        toNodeId: 'three',
        shards: 1,
        at: new Date(now - 1_000).toISOString(),
      },
      {
        cause: 'takeover',
        fromNodeId: 'two',
        toNodeId: 'one',
        shards: 2,
        at: new Date(now - 8_000).toISOString(),
      },
    ]);
  },
);

t.test('lists are of all nodes, the worst first, and no longer than twenty', async t => {
  const moving = { state: 'vacant', ownerNodeId: null, desiredNodeId: null } as const;
  const reports = ['one', 'two'].map((nodeId, index) =>
    createReport(nodeId, {
      stitches: Array.from({ length: 20 }, (_, i) => ({
        stitchId: `${index * 10 + i}`,
        lagEvents: 10 * (i + 1),
      })),
      actors: Array.from({ length: 20 }, (_, i) => ({
        kind: 'thread',
        actorId: `thr_${i}`,
        commands: 2 * i + index,
        committingMs: null,
      })),
      refusals: [{ reason: 'error', recent: index, total: 5 }],
      moving: [{ shard: 3, ...moving }],
      oldestDeliverySeconds: index === 1 ? 42 : null,
    }),
  );
  const { reader } = createReader({ nodes: [member('one'), member('two')] }, reports);
  const { stitches, actors, shards, commitRefusals, oldestDeliverySeconds } = await reader.read();
  t.equal(stitches.length, 20);
  t.equal(stitches[0]?.lagEvents, 200, 'of the node that has it alone');
  t.equal(stitches.find(({ stitchId }) => stitchId === '19')?.lagEvents, 100, 'who looked last knows');
  t.equal(actors.length, 20);
  t.match(actors[0], { nodeId: 'two', commands: 39 });
  t.strictSame(commitRefusals, [{ reason: 'error', recent: 1, total: 10 }]);
  t.strictSame(shards.moving, [{ shard: 3, ...moving, nodeId: 'one' }], 'it is vacant for all');
  t.equal(oldestDeliverySeconds, 42);
});
