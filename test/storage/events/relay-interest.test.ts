/** Events go where somebody subscribes, over a real NATS: also beside a node of an earlier build, which says nothing of what it follows. */
import t from 'tap';
import { ClusterRelay } from '../../../storage/events/cluster-relay.ts';
import { CommitNotifier } from '../../../storage/events/commit-notifier.ts';
import { ManualClock } from '../../gateway/stream/stream-fixture.ts';
import { natsNode } from '../../support/nats-node.ts';
import { NatsServer } from '../../support/nats-server.ts';

t.test('a subscription that nobody has announced', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const [one, old] = await Promise.all([natsNode(t, server.url), natsNode(t, server.url)]);
  const clock = new ManualClock();
  const answers: Promise<boolean>[] = [];
  const transport = {
    publish: one.transport.publish.bind(one.transport),
    subscribe: one.transport.subscribe.bind(one.transport),
    isHeard: (topic: string) => {
      const answer = one.transport.isHeard(topic);
      answers.push(answer);
      return answer;
    },
  };
  const relay = new ClusterRelay({
    transport,
    clock,
    notifier: new CommitNotifier(),
    from: 'one',
    getGeneration: () => 0,
  });
  let seq = 0;
  /** Commits an event, and waits until what that asks of NATS is answered. */
  const commit = async (): Promise<void> => {
    relay.publishEvents([{ projectId: 'p', seq: ++seq, eventName: 'thread.status.changed', body: '{}' }]);
    await answers.at(-1);
    // One after the other: what the first has sent lies before the answer to the second's flush.
    await one.connection.flush();
    await old.connection.flush();
  };
  await commit();
  t.equal(answers.length, 1);

  const heard: string[] = [];
  old.connection.client.subscribe('skein.test.topic.events.p', {
    callback: (_, message) => void heard.push(message.string()),
  });
  await old.connection.flush();
  await commit();
  t.same(heard, [], 'nobody knows yet');
  await clock.advance(1_000);
  await commit();
  await commit();
  t.equal(answers.length, 2);
  // The question has no text, which an earlier build takes for a reason to look into the log.
  t.same(heard, ['', 'one ?', 'one 4\nthread.status.changed {}']);
});
