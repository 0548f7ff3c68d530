/**
 * Webhook deliveries (docs/contract-decisions.md, "Delivery").
 *
 * `delivering` is never in a row: a crash would leave it there, and a write for each attempt would double the cost of a delivery.
 * Instead the stitch tells which deliveries are in flight at this moment, and these are shown so in place of `pending` or `retrying`.
 * Where the stitch cannot be asked, the status of the row is shown.
 */
import { notFound } from '../../protocol/errors.ts';
import type { deliveryOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type WebhookDelivery } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { type CursorKey, type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import {
  attemptPage,
  type DeliveryFilter,
  type DeliveryPage,
  deliveryPage,
  type DeliveryPosition,
  findDelivery,
  findDeliveryTenant,
  type FoundDelivery,
} from '../../storage/deliveries/index.ts';
import { listStitchIds } from '../../storage/reads/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { resolveScope } from './tenant-scope.ts';

export interface DeliveryServices {
  readonly database: Pick<Database, 'query' | 'scan' | 'em'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
}

/** How long a list waits for the stitches to tell what is in flight, in milliseconds. */
const inFlightMs = 1_000;
/** How many stitches a list of what is `delivering` asks, the newest first. */
const maxAsked = 100;

type Reads = Pick<typeof deliveryOperations, 'listDeliveries' | 'getDelivery' | 'listDeliveryAttempts'>;

/** List, read and attempts. */
export function deliveryHandlers(services: DeliveryServices): Handlers<Reads> {
  const { database, node, cursors } = services;

  return {
    listDeliveries: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { cursor, limit = defaultPageSize } = call.query;
      const { stitchId, status, eventId, eventName, since, until } = call.query;
      const filters = { stitchId, status, eventId, eventName, since, until };
      const scope = `deliveries ${projectId} ${environmentId} ${JSON.stringify(filters)}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const before = key && toPosition(key);
      const filter = { projectId, environmentId, ...filters, before, limit };
      const { rows, end } = await (status === 'delivering' ? readInFlight : readPage)(services, filter);
      const nextCursor = end === undefined ? null : cursors.encode(scope, toKey(end));
      return { body: { data: [...rows], hasMore: end !== undefined, nextCursor } };
    },

    getDelivery: async call => {
      const { delivery, tenant } = await requireDelivery(database, call, call.params.deliveryId);
      const [body] = await showInFlight(node, [delivery], tenant);
      return { body };
    },

    listDeliveryAttempts: async call => {
      const { deliveryId } = call.params;
      const { delivery, tenant } = await requireDelivery(database, call, deliveryId);
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `attempts ${tenant.projectId} ${deliveryId}`;
      const after = cursor === undefined ? 0 : Number(cursors.decode(scope, cursor)[0]);
      const { createdAt } = delivery;
      const { projectId } = tenant;
      const found = await attemptPage(database, { deliveryId, projectId, createdAt, after, limit });
      return { body: toPage(found, last => cursors.encode(scope, [last.number])) };
    },
  };
}

/** 0 and -1 stand for the beginnings of the two lists. */
function toKey({ row, seq }: DeliveryPosition): CursorKey {
  return [row?.at ?? 0, row?.deliveryId ?? '', seq === undefined ? -1 : seq];
}

function toPosition([at, deliveryId, seq = -1]: CursorKey): DeliveryPosition {
  return {
    row: at === 0 ? undefined : { at: Number(at), deliveryId: String(deliveryId) },
    seq: Number(seq) < 0 ? undefined : Number(seq),
  };
}

/** Of all statuses, or of one that is not `delivering`. */
async function readPage({ database, node }: DeliveryServices, filter: DeliveryFilter): Promise<DeliveryPage> {
  const { rows, end } = await deliveryPage(database, filter);
  return { rows: filter.status === undefined ? await showInFlight(node, rows, filter) : rows, end };
}

/** Of what is `delivering`, as far as the stitches can be asked. */
async function readInFlight(
  { database, node }: DeliveryServices,
  filter: DeliveryFilter,
): Promise<DeliveryPage> {
  const { projectId, environmentId, stitchId } = filter;
  const asked =
    stitchId === undefined
      ? await listStitchIds(database, { projectId, environmentId }, maxAsked)
      : [stitchId];
  const inFlight = await findInFlight(node, asked, filter);
  const ofAnyStatus = { ...filter, status: undefined, deliveryIds: [...inFlight] };
  const { rows, end } = await deliveryPage(database, ofAnyStatus);
  return { rows: rows.filter(isOpen).map(delivery => ({ ...delivery, status: 'delivering' })), end };
}

/** Which deliveries of the stitches are in flight at this moment, as far as the stitches can be asked. */
async function findInFlight(
  node: Pick<Node, 'ask'>,
  stitchIds: readonly string[],
  { projectId, environmentId }: TenantScope,
): Promise<ReadonlySet<string>> {
  const payload = { projectId, environmentId };
  const answers = await Promise.allSettled(
    stitchIds.map(id =>
      node.ask<readonly string[]>({ kind: 'stitch', id }, 'underWay', payload, { deadlineMs: inFlightMs }),
    ),
  );
  return new Set(answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : [])));
}

function isOpen({ status }: WebhookDelivery): boolean {
  return status === 'pending' || status === 'retrying';
}

async function showInFlight(
  node: Pick<Node, 'ask'>,
  deliveries: readonly WebhookDelivery[],
  tenant: TenantScope,
): Promise<WebhookDelivery[]> {
  const stitchIds = new Set(deliveries.filter(isOpen).flatMap(({ stitchId }) => stitchId ?? []));
  const inFlight = await findInFlight(node, [...stitchIds], tenant);
  return deliveries.map(delivery =>
    isOpen(delivery) && inFlight.has(delivery.deliveryId) ? { ...delivery, status: 'delivering' } : delivery,
  );
}

/** The delivery and whose it is; rejects with 404 where the caller may not see it. */
export async function requireDelivery(
  database: Pick<Database, 'query'>,
  call: Pick<Call, 'caller' | 'project' | 'authoriseScope'>,
  deliveryId: string,
): Promise<FoundDelivery & { readonly tenant: TenantScope }> {
  const { projectId, environmentId } = await resolveScope(call, database, findDeliveryTenant, deliveryId);
  const tenant: TenantScope = { projectId, environmentId };
  const found = await findDelivery(database, tenant, deliveryId);
  if (found === undefined) throw notFound();
  return { ...found, tenant };
}
