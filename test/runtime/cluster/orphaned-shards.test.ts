/** Asks of an owner that is gone do not wait for it. */
import t from 'tap';
import { OrphanedShards } from '../../../runtime/cluster/orphaned-shards.ts';
import {
  encode,
  memberKey,
  shardKey,
  type MemberEntry,
  type ShardEntry,
} from '../../../runtime/cluster/records.ts';
import { ClusterView } from '../../../runtime/cluster/view.ts';
import { MemoryRegister, RegisterBus } from '../../support/memory-register.ts';
import { natsNode } from '../../support/nats-node.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const member = (incarnation: string): string => {
  const entry: MemberEntry = { incarnation, beat: 0, release: '', wire: 1, state: 'settled', since: 0 };
  return encode(entry);
};
const owned = (owner: string, incarnation: string): string => {
  const entry: ShardEntry = { owner, incarnation, cause: 'first', since: 0 };
  return encode(entry);
};

t.test('the shards of a member that has gone are named once', t => {
  const clock = new VirtualClock();
  const orphaned: number[][] = [];
  const view = new ClusterView({
    register: new MemoryRegister({ bus: new RegisterBus(), clock }),
    clock,
    onChange: what => {
      if (typeof what === 'number') orphans.onRecordChanged(what);
      else if (what === 'all') orphaned.push(orphans.takeOrphaned(4));
    },
  });
  const orphans = new OrphanedShards(view);
  let revision = 0;
  const set = (key: string, value: string | undefined): void =>
    view.apply({ key, value, revision: ++revision });

  set(memberKey('one'), member('a'));
  set(memberKey('two'), member('b'));
  set(shardKey(0), owned('one', 'a'));
  set(shardKey(1), owned('two', 'b'));
  set(shardKey(2), owned('one', 'a'));
  set(shardKey(3), owned('gone long ago', 'z'));
  set(shardKey(2), owned('two', 'b'));
  orphaned.length = 0;
  set(memberKey('three'), member('c'));
  set(memberKey('two'), undefined);
  t.same(orphaned, [[], [1, 2]]);
  set(shardKey(1), owned('one', 'a'));
  set(memberKey('one'), member('d'));
  t.same(orphaned[2], [0, 1], 'a node that has come anew is another one');
  set(memberKey('three'), undefined);
  t.same(orphaned[3], []);
  t.end();
});

t.test('an ask that was heard by an owner that is gone is rejected, and no other', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, two] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = Promise.withResolvers<string>();
  for (const shard of [0, 1]) {
    await two.transport.serve(shard, () => {
      heard[shard]?.resolve();
      return answer.promise;
    });
  }
  const deadline = performance.now() + 600_000;
  const [lost, kept] = [0, 1].map(shard =>
    one.transport.ask(shard, { kind: 'thing', id: 'a', command: 'do', payload: {}, deadline }),
  );
  await Promise.all(heard.map(({ promise }) => promise));
  const rejected = t.rejects(lost ?? Promise.resolve(), {
    code: 'svc/runtime/unavailable',
    details: { reason: 'connection' },
  });
  one.transport.failOrphanedAsks([0]);
  await rejected;
  answer.resolve('here');
  t.equal(await kept, 'here');
});
