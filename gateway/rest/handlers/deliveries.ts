/**
 * Webhook deliveries over REST (decisions sections 2, 4 and 6).
 *
 * `delivering` is in no row: a crash would strand it there, and a write for each attempt would double the cost of a delivery.
 * It is what the stitch says is out at this moment, shown in place of `pending` or `retrying`. A stitch that cannot be asked
 * leaves what the row says.
 */
import type { ReplayEvent, ReplaySpan } from '../../../actors/stitch/commands.ts';
import { invalid, notFound } from '../../../protocol/errors.ts';
import type { deliveryOperations } from '../../../protocol/operations/deliveries.ts';
import type { ReplayAccepted, WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Node } from '../../../runtime/node.ts';
import { page, pageOf, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { attemptPage } from '../../../storage/reads/attempts.ts';
import type { Stretch } from '../../../storage/reads/walk.ts';
import { deliveryPage, findDelivery, type FoundDelivery } from '../../../storage/reads/deliveries.ts';
import { findStitch, placeOfStitch, stitchPage } from '../../../storage/reads/stitches.ts';
import type { Place } from '../../../storage/reads/place.ts';
import type { Call, Handlers } from '../handler.ts';
import { eventFilter } from './event-filter.ts';
import { scopeById } from './place.ts';

export interface DeliveryServices {
  readonly database: Pick<Database, 'query' | 'walk'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
}

/** How long a list waits to hear what is out. */
const underWayMs = 1_000;
/** Stitches that a list of what is `delivering` asks, the newest first. */
const mostAsked = 100;

/**
 * List, read, attempts, replay. 409 for a replay to a stitch that is archived or disabled, as the stitch's actor
 * says.
 */
export function deliveryHandlers(services: DeliveryServices): Handlers<typeof deliveryOperations> {
  const { database, node, cursors } = services;

  const underWay = async (stitchIds: readonly string[], place: Place): Promise<ReadonlySet<string>> => {
    const { projectId, environmentId } = place;
    const answers = await Promise.allSettled(
      stitchIds.map(id =>
        node.ask<readonly string[]>(
          { kind: 'stitch', id },
          'underWay',
          { projectId, environmentId },
          {
            deadlineMs: underWayMs,
          },
        ),
      ),
    );
    return new Set(answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : [])));
  };

  const isOpen = ({ status }: WebhookDelivery): boolean => status === 'pending' || status === 'retrying';

  const asOfNow = async (
    deliveries: readonly WebhookDelivery[],
    place: Place,
  ): Promise<WebhookDelivery[]> => {
    const stitchIds = new Set(deliveries.filter(isOpen).flatMap(({ stitchId }) => stitchId ?? []));
    const out = await underWay([...stitchIds], place);
    return deliveries.map(delivery =>
      isOpen(delivery) && out.has(delivery.deliveryId) ? { ...delivery, status: 'delivering' } : delivery,
    );
  };

  const found = async (call: Pick<Call, 'scopeOf'>, deliveryId: string): Promise<FoundDelivery> => {
    const delivery = await findDelivery(database, deliveryId);
    if (delivery === undefined) throw notFound();
    await call.scopeOf(delivery.place.projectId, delivery.place.environmentId);
    return delivery;
  };

  return {
    listDeliveries: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const place = { projectId, environmentId };
      const {
        stitchId,
        status,
        eventId,
        eventName,
        since,
        until,
        cursor,
        limit = defaultPageSize,
      } = call.query;
      const filters = { stitchId, status, eventId, eventName, since, until };
      const scope = `deliveries ${projectId} ${environmentId} ${JSON.stringify(filters)}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const before = key === undefined ? undefined : { at: Number(key[0]), deliveryId: String(key[1]) };
      const filter = { ...place, ...filters, before, limit };
      const listed = ({ rows, end }: Stretch<WebhookDelivery>) => ({
        body: pageOf({ rows, end }, last =>
          cursors.encode(scope, [Date.parse(last.createdAt), last.deliveryId]),
        ),
      });
      if (status === 'delivering') {
        const asked =
          stitchId === undefined
            ? await stitchPage(database, { ...place, limit: mostAsked })
            : [{ stitchId }];
        const out = await underWay(
          asked.map(each => each.stitchId),
          place,
        );
        const { rows, end } = await deliveryPage(database, {
          ...filter,
          status: undefined,
          deliveryIds: [...out],
        });
        return listed({
          rows: rows.filter(isOpen).map(delivery => ({ ...delivery, status: 'delivering' })),
          end,
        });
      }
      const { rows, end } = await deliveryPage(database, filter);
      return listed({ rows: status === undefined ? await asOfNow(rows, place) : rows, end });
    },

    getDelivery: async call => {
      const { delivery, place } = await found(call, call.params.deliveryId);
      const [body] = await asOfNow([delivery], place);
      return { body };
    },

    listDeliveryAttempts: async call => {
      const { deliveryId } = call.params;
      const { delivery, place } = await found(call, deliveryId);
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `attempts ${place.projectId} ${deliveryId}`;
      const after = cursor === undefined ? 0 : Number(cursors.decode(scope, cursor)[0]);
      const { createdAt } = delivery;
      const { projectId } = place;
      const rows = await attemptPage(database, { deliveryId, projectId, createdAt, after, limit: limit + 1 });
      return { body: page(rows, limit, last => cursors.encode(scope, [last.number])) };
    },

    replayDelivery: async call => {
      const { delivery, place, eventSeq, eventAt } = await found(call, call.params.deliveryId);
      const { stitchId, eventId, eventName, threadId = null } = delivery;
      const target = call.body.targetStitchId ?? stitchId ?? undefined;
      if (target === undefined || !eventId || eventName === undefined) throw notFound();
      const command: ReplayEvent = { ...place, event: { eventId, eventSeq, eventName, eventAt, threadId } };
      const body = await node.ask<WebhookDelivery>({ kind: 'stitch', id: target }, 'replay', command, call);
      return { body };
    },

    replayStitch: async call => {
      const { stitchId } = call.params;
      const scope = await scopeById(call, database, placeOfStitch, stitchId);
      if ((await findStitch(database, scope, stitchId)) === undefined) throw notFound();
      const { projectId, environmentId } = scope;
      const { since, eventNames = [], statuses = [], targetStitchId = stitchId } = call.body;
      const until = call.body.until ?? new Date(call.now).toISOString();
      if (Date.parse(since) > Date.parse(until)) {
        throw invalid([{ path: '/body/since', message: 'must not be after until', code: 'range' }]);
      }
      const command: ReplaySpan = {
        ...{ projectId, environmentId, sourceStitchId: stitchId, since, until, statuses },
        eventNames: eventFilter(eventNames, '/body/eventNames'),
      };
      await node.ask<null>({ kind: 'stitch', id: targetStitchId }, 'replaySpan', command, call);
      const body: ReplayAccepted = { accepted: true };
      return { body };
    },
  };
}
