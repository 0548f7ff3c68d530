/** What a stitch that is stopped has in the queue of its node. */
import type { ServerResponse } from 'node:http';
import t from 'tap';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import { StitchNode } from '../../support/stitch-node.ts';

const { database } = await startTestDatabase(t);

t.test(
  'what waits for its turn is not sent, and a stitch that is enabled again does not wait for it',
  async t => {
    const receiver = await Receiver.start();
    t.teardown(() => receiver.stop());
    const out: ServerResponse[] = [];
    receiver.behaviour = (_request, response) => out.push(response);
    // Of these one project has two, and one receiver of it one.
    const node = new StitchNode(database, { queue: { maxInFlight: 4, maxWaiting: 100 } });
    await node.start();
    t.teardown(() => node.stop());
    const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
    const { stitchId } = stitch;
    await node.emit(Array.from({ length: 6 }, (_, i) => ({ threadId: `thread_${i}`, data: { i } })));
    await receiver.arrived(1);
    await eventually('six that have begun', () => Promise.resolve(node.stitches.inFlight === 6));
    await node.ask(stitchId, 'update', { changes: { status: 'disabled' } });
    await node.ask(stitchId, 'update', { changes: { status: 'active' } });
    await node.emit([{ threadId: 'thread_0', data: { i: 'new' } }]);
    receiver.behaviour = answer(204);
    for (const response of out) response.writeHead(204).end();
    await receiver.arrived(2);
    const [, second] = receiver.received;
    if (!t.match(JSON.parse(second?.body ?? '{}'), { data: { i: 'new' } })) return;
    await node.until({ delivered: 2, cancelled: 5 });
    t.equal(receiver.received.length, 2);
  },
);
