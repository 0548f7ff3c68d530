/** Order within a thread while a stitch moves: what is read of its deliveries, and what the node that had it commits meanwhile. */
import t from 'tap';
import { RetryPolicy } from '../../../../actors/base/retry-policy.ts';
import type { LoadedPage } from '../../../../actors/stitch/queue-load.ts';
import { acceptLoad, requestLoad } from '../../../../actors/stitch/queue-load.ts';
import { emptyQueue, start } from '../../../../actors/stitch/queue.ts';
import { BodyCache } from '../../../../actors/stitch/tasks/caches.ts';
import { DeliveryLoader } from '../../../../actors/stitch/tasks/loader.ts';
import type { StitchCommands } from '../../../../actors/stitch/commands.ts';
import { FollowedLog } from '../../../../storage/deliveries/followed-log.ts';
import { deriveDeliveryId } from '../../../../storage/deliveries/subscriptions.ts';
import { newId } from '../../../../protocol/ids.ts';
import type { TaskContext } from '../../../../runtime/actor/actor.ts';
import { silentLog } from '../../../../runtime/observability/log.ts';
import { systemClock, systemRandom } from '../../../../runtime/time/clock.ts';
import type { Queries } from '../../../../storage/database/database.ts';
import { startTestDatabase } from '../../../support/database.ts';
import { Receiver } from '../../../support/receiver.ts';
import { StitchNode } from '../../../support/stitch-node.ts';

const { database } = await startTestDatabase(t);

/** Two deliveries of one thread, both pending. */
async function createThread(): Promise<{
  readonly stitchId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly deliveries: readonly string[];
}> {
  const receiver = await Receiver.start();
  const node = new StitchNode(database);
  await node.start();
  const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
  await node.stop();
  await receiver.stop();
  const threadId = newId('thread');
  const eventIds = await node.emit([{ threadId }, { threadId }]);
  const { projectId, environmentId } = node;
  const { stitchId } = stitch;
  const deliveries = eventIds.map(eventId => deriveDeliveryId(eventId, stitchId));
  return { stitchId, projectId, environmentId, deliveries };
}

/** What the node that had the stitch commits last: the first delivery has failed, and is to be tried again. */
async function fail(deliveryId: string, stitchId: string): Promise<void> {
  await database.query(
    `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
       event_at, thread_id, status, attempt_count, trigger, last_attempt_at, next_attempt_at, updated_at)
     select $1, occurred_at, project_id, environment_id, $2, event_id, seq, event_name, occurred_at, thread_id, 'retrying', 1,
       'scheduled', now(), now() + interval '5 seconds', now()
     from events where skein_delivery_id(event_id, $2) = $1`,
    [deliveryId, stitchId],
  );
  await database.query(
    `insert into webhook_attempts (delivery_id, number, attempted_at, project_id, trigger, duration_ms)
     select delivery_id, 1, now(), project_id, trigger, 1 from webhook_deliveries where delivery_id = $1`,
    [deliveryId],
  );
}

const schedules = {
  'before both': () => 0,
  'between the two': () => 1,
  'after both': () => 2,
} as const;

for (const [when, place] of Object.entries(schedules)) {
  t.test(`a failure that is committed ${when} lets nothing overtake it`, async t => {
    const { stitchId, projectId, environmentId, deliveries } = await createThread();
    const [first = '', second] = deliveries;
    let committed: Promise<void> | undefined;
    let read = 0;
    const commitInPlace = async (): Promise<void> => {
      if (read === place()) await (committed ??= fail(first, stitchId));
    };
    // The two statements in the order in which the loader makes them, and the commit in its place among them.
    let turn = commitInPlace();
    const db: Queries = {
      query<T extends object>(text: string, values?: readonly unknown[], name?: string): Promise<T[]> {
        if (name !== 'deliveries.recorded' && name !== 'deliveries.heads') {
          return database.query<T>(text, values, name);
        }
        const rows = turn.then(() => database.query<T>(text, values, name));
        turn = rows.then(() => {
          read++;
          return commitInPlace();
        });
        return rows;
      },
    };
    const retries = new RetryPolicy({ clock: systemClock, random: systemRandom, log: silentLog });
    const loader = new DeliveryLoader(
      { db, archived: { has: () => false }, followedLog: new FollowedLog(db) },
      new BodyCache(1_000_000),
      retries,
    );
    const now = Date.now();
    const { queue, request } = requestLoad(emptyQueue, false, now);
    if (request === undefined) throw new Error('nothing was asked for');
    let loaded: StitchCommands['loaded']['payload'] | undefined;
    const context: TaskContext = {
      self: { kind: 'stitch', id: stitchId },
      now: () => now,
      ask: (_to, _command, payload) => {
        loaded = payload as StitchCommands['loaded']['payload'];
        return Promise.resolve(null);
      },
    };
    await loader.load({ projectId, environmentId, request }, context);
    await turn;
    t.ok(committed, 'the failure was committed');
    const page = loaded?.page as LoadedPage;
    const begun = start(acceptLoad(queue, request, page, now), 20, now).deliveries;
    t.notOk(begun.map(({ deliveryId }) => deliveryId).includes(second ?? ''), 'the second waits');
  });
}
