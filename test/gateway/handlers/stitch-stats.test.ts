/** How a stitch is doing, over REST, on a whole node. */
import t from 'tap';
import type { StitchStats, StitchWithSecret } from '../../../protocol/resources/stitch.ts';
import { answer, startReceiver } from '../../support/receiver.ts';
import { receiveMessages, untilDeliveries } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const received = 'thread.message.received';

t.test('attempts by hour, and what waits', async t => {
  const tenant = await skein.tenant();
  const { projectId, environmentId, key, person } = tenant;
  const receiver = await startReceiver(t);
  const body = { projectId, name: 'Hook', webhookUrl: receiver.url(), eventNames: [received] };
  const { stitch } = await key.get<StitchWithSecret>('createStitch', { body });
  const { stitchId } = stitch;
  const read = (hours?: number): Promise<StitchStats> =>
    key.get('getStitchStats', { params: { stitchId }, query: hours === undefined ? {} : { hours } });

  t.match(await read(), {
    stitchId,
    projectId,
    environmentId,
    total: { attempts: 0, successRate: null },
    hours: [],
    backlog: { count: 0, more: false, oldestSince: null },
  });

  await receiveMessages(tenant, 3);
  await untilDeliveries(key, { projectId, status: 'delivered' }, 3);
  receiver.behaviour = answer(503);
  await receiveMessages(tenant, 2);
  await untilDeliveries(key, { projectId, status: 'retrying' }, 1);
  const stats = await read(168);
  t.match(stats.total, { attempts: 4, succeeded: 3, successRate: 0.75, p50Ms: Number, p95Ms: Number });
  t.ok(stats.hours.length === 1 || stats.hours.length === 2, 'of this hour, or also of the one before');
  t.equal(
    stats.hours.reduce((sum, { attempts }) => sum + attempts, 0),
    4,
  );
  t.match(stats.backlog, { count: 2, more: false }, 'one is tried again, and the other waits for it');
  const [retrying] = await untilDeliveries(key, { projectId, status: 'retrying' }, 1);
  t.equal(stats.backlog.oldestSince, retrying?.createdAt);
  t.equal(Date.parse(stats.since) % 3_600_000, 0);
  const ages = [await read(1), await read(), stats].map(({ since, asOf }) =>
    Math.floor((Date.parse(asOf) - Date.parse(since)) / 3_600_000),
  );
  t.strictSame(ages, [0, 23, 167]);
  t.match(await person.get<StitchStats>('getStitchStats', { params: { stitchId } }), {
    total: { succeeded: 3 },
  });
});
