/**
 * Replays of webhook deliveries: of one, of a span of a stitch, of what has failed for good (docs/contract-decisions.md, "Delivery").
 * A stitch that is archived or disabled answers with 409.
 */
import type { ReplayEvent, ReplaySpan, StartedReplay } from '../../actors/stitch/index.ts';
import { invalid, notFound } from '../../protocol/errors.ts';
import type { deliveryOperations } from '../../protocol/operations/index.ts';
import type { FailedReplay, ReplayAccepted, WebhookDelivery } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findFailingStitches } from '../../storage/deliveries/index.ts';
import { transactOnce } from '../../storage/idempotency/index.ts';
import { findStitch, findStitchTenant } from '../../storage/reads/index.ts';
import { type Call, commitKey, type Handlers, toRefusal } from '../pipeline/index.ts';
import { createCommandAudit } from './caller.ts';
import { requireDelivery } from './deliveries.ts';
import { checkEventFilter } from './events.ts';
import { askNamed, requireScope, resolveScope } from './tenant-scope.ts';

export interface ReplayServices {
  readonly database: Pick<Database, 'query' | 'em'>;
  readonly node: Pick<Node, 'ask'>;
}

type Replays = Pick<typeof deliveryOperations, 'replayDelivery' | 'replayStitch' | 'replayFailedDeliveries'>;

/** Stitches of an environment that one request replays; seldom are there more than 100. */
const maxFailing = 1_000;

export function replayHandlers(services: ReplayServices): Handlers<Replays> {
  return { ...deliveryAndSpanHandlers(services), ...failedHandlers(services) };
}

function deliveryAndSpanHandlers({
  database,
  node,
}: ReplayServices): Handlers<Omit<Replays, 'replayFailedDeliveries'>> {
  return {
    replayDelivery: async call => {
      const { deliveryId } = call.params;
      const { delivery, tenant, eventSeq, eventAt } = await requireDelivery(database, call, deliveryId);
      const { stitchId, eventId, eventName, threadId = null } = delivery;
      const target = call.body.targetStitchId ?? stitchId ?? undefined;
      if (target === undefined || !eventId || eventName === undefined) throw notFound();
      const event = { eventId, eventSeq, eventName, eventAt, threadId };
      return {
        body: await call.once(key => {
          const act = createCommandAudit(call);
          const command: ReplayEvent = {
            ...tenant,
            event,
            deliveryId,
            ...(!stitchId || stitchId === target ? {} : { sourceStitchId: stitchId }),
            act,
            ...commitKey(key),
          };
          const asked = node.ask<WebhookDelivery>({ kind: 'stitch', id: target }, 'replay', command, call);
          return call.body.targetStitchId === undefined ? asked : askNamed('/body/targetStitchId', asked);
        }),
      };
    },

    replayStitch: async call => {
      const { stitchId } = call.params;
      const scope = await resolveScope(call, database, findStitchTenant, stitchId);
      if ((await findStitch(database, scope, stitchId)) === undefined) throw notFound();
      const { projectId, environmentId } = scope;
      const { since, eventNames = [], statuses = [], targetStitchId = stitchId } = call.body;
      const until = call.body.until ?? new Date(call.now).toISOString();
      requireOrder(since, until);
      const order: ReplaySpan = {
        projectId,
        environmentId,
        sourceStitchId: stitchId,
        since,
        until,
        statuses,
        eventNames: checkEventFilter(eventNames, '/body/eventNames'),
        act: createCommandAudit(call),
      };
      const started = await call.once(key => {
        const command: ReplaySpan = { ...order, ...commitKey(key) };
        const asked = askReplay(node, targetStitchId, command, call);
        return targetStitchId === stitchId ? asked : askNamed('/body/targetStitchId', asked);
      });
      // A node of an earlier version does not name it.
      const body: ReplayAccepted = { accepted: true, ...(started ?? {}) };
      return { body };
    },
  };
}

function failedHandlers({
  database,
  node,
}: ReplayServices): Handlers<Pick<Replays, 'replayFailedDeliveries'>> {
  return {
    replayFailedDeliveries: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { stitchId, since = new Date(0).toISOString(), eventNames: names = [] } = call.body;
      const now = new Date(call.now).toISOString();
      const until = call.body.until ?? now;
      requireOrder(since, until);
      const eventNames = checkEventFilter(names, '/body/eventNames');
      const tenant = { projectId, environmentId };
      if (stitchId !== undefined && (await findStitch(database, tenant, stitchId)) === undefined) {
        throw notFound('/body/stitchId');
      }
      // What it makes itself is not of the span.
      const span = { since, until: Date.parse(until) < call.now ? until : now, eventNames };
      // The key stands for this body from now on. Which of the stitches have begun shows in their own parts.
      await call.once(async key => (key === undefined ? null : transactOnce(database, key, () => null)));
      const failing =
        stitchId === undefined
          ? await findFailingStitches(database, { ...tenant, ...span }, maxFailing)
          : [stitchId];
      const settled = await Promise.allSettled(
        failing.map(id =>
          call.once(key => {
            const act = createCommandAudit(call);
            const order = { ...tenant, ...span, sourceStitchId: id, statuses: [], onlyFailed: true } as const;
            return askReplay(node, id, { ...order, act, ...commitKey(key) }, call);
          }, id),
        ),
      );
      return { body: { stitches: settled.map((each, index) => toFailedReplay(failing[index] ?? '', each)) } };
    },
  };
}

function askReplay(
  node: Pick<Node, 'ask'>,
  stitchId: string,
  command: ReplaySpan,
  call: Pick<Call, 'requestId'>,
): Promise<StartedReplay | null> {
  return node.ask<StartedReplay | null>({ kind: 'stitch', id: stitchId }, 'replaySpan', command, call);
}

function requireOrder(since: string, until: string): void {
  if (Date.parse(since) <= Date.parse(until)) return;
  throw invalid([{ path: '/body/since', message: 'must not be after until', code: 'range' }]);
}

/** Throws a defect. */
function toFailedReplay(stitchId: string, settled: PromiseSettledResult<StartedReplay | null>): FailedReplay {
  if (settled.status === 'fulfilled') {
    return { stitchId, status: 'started', replayId: settled.value?.replayId ?? null, error: null };
  }
  const refusal = toRefusal(settled.reason);
  if (refusal === undefined) throw settled.reason;
  const { code: error, message, details } = refusal;
  return {
    stitchId,
    status: 'refused',
    replayId: null,
    error: { error, message, ...(details === undefined ? {} : { details: { ...details } }) },
  };
}
