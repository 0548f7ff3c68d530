/** Stitches over REST (decisions sections 2, 4 and 6). */
import type {
  ArchiveStitch,
  CreateStitch,
  RotateSecret,
  TestStitch,
  UpdateStitch,
} from '../../../actors/stitch/commands.ts';
import { stitchView } from '../../../actors/stitch/news.ts';
import { decodeStitch, type StitchRow } from '../../../actors/stitch/snapshot.ts';
import { secretContext } from '../../../actors/stitch/tasks/services.ts';
import { invalid, notFound } from '../../../protocol/errors.ts';
import { isKnownPattern } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { stitchOperations } from '../../../protocol/operations/stitches.ts';
import type { WebhookDelivery } from '../../../protocol/resources/delivery.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Stitch, StitchWithSecret } from '../../../protocol/resources/stitch.ts';
import { newStitchSecret } from '../../../protocol/signature.ts';
import type { Node } from '../../../runtime/node.ts';
import type { Reach } from '../../../runtime/pool/address-guard.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { findStitch, placeOfStitch, stitchPage, type StitchRecord } from '../../../storage/reads/stitches.ts';
import type { Vault } from '../../../storage/vault.ts';
import type { Handlers } from '../handler.ts';
import { actOf, authorOf } from './author.ts';
import { eventFilter } from './event-filter.ts';
import { outboundAddress } from './outbound-address.ts';
import { scopeById } from './place.ts';

export interface StitchHandlerServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly vault: Pick<Vault, 'seal'>;
  /** What webhooks may reach: the same as the pool's. */
  readonly reach: Reach;
}

const defaultGraceSeconds = 86_400;

function shown({ stitchId, row }: StitchRecord): Stitch {
  return stitchView(decodeStitch(row as StitchRow), stitchId);
}

/**
 * Secrets are shown once, when made. 422 for an address that the guard would refuse, or a filter that selects no
 * known event.
 */
export function stitchHandlers(services: StitchHandlerServices): Handlers<typeof stitchOperations> {
  const { database, node, cursors, vault } = services;

  const stitch = (id: string) => ({ kind: 'stitch', id });
  const sealed = (stitchId: string, secret: string): Promise<string> =>
    vault.seal(secretContext(stitchId), secret);
  const checkAddress = outboundAddress(services.reach, '/body/webhookUrl');

  return {
    listStitches: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `stitches ${projectId} ${environmentId}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), stitchId: String(key[1]) };
      const rows = await stitchPage(database, { projectId, environmentId, after, limit: limit + 1 });
      const { data, ...rest } = page(rows, limit, last =>
        cursors.encode(scope, [last.createdAt.getTime(), last.stitchId]),
      );
      return { body: { data: data.map(shown), ...rest } };
    },

    createStitch: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId, environmentKind } = call.project;
      const { name, webhookUrl, eventNames = [], metadata = {} } = call.body;
      checkAddress(webhookUrl, environmentKind);
      const filter = eventFilter(eventNames, '/body/eventNames');
      const stitchId = newId('stitch', call.now);
      const secret = newStitchSecret();
      const command: CreateStitch = {
        ...{ projectId, environmentId, environmentKind, name, webhookUrl, metadata },
        eventNames: filter,
        jwe: await sealed(stitchId, secret),
        act: actOf(call),
      };
      const created = await node.ask<Stitch>(stitch(stitchId), 'create', command, call);
      const body: StitchWithSecret = { stitch: created, secret };
      return { body };
    },

    getStitch: async call => {
      const { stitchId } = call.params;
      const scope = await scopeById(call, database, placeOfStitch, stitchId);
      const found = await findStitch(database, scope, stitchId);
      if (found === undefined) throw notFound();
      return { body: shown(found) };
    },

    updateStitch: async call => {
      const { stitchId } = call.params;
      const scope = await scopeById(call, database, placeOfStitch, stitchId);
      const { projectId, environmentId, environmentKind } = scope;
      const { projectId: _, eventNames, ...changes } = call.body;
      if (changes.webhookUrl !== undefined) checkAddress(changes.webhookUrl, environmentKind);
      const filter =
        eventNames === undefined ? {} : { eventNames: eventFilter(eventNames, '/body/eventNames') };
      const command: UpdateStitch = {
        ...{ projectId, environmentId, author: authorOf(call) },
        changes: { ...changes, ...filter },
        act: actOf(call),
      };
      return { body: await node.ask<Stitch>(stitch(stitchId), 'update', command, call) };
    },

    archiveStitch: async call => {
      const { stitchId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfStitch, stitchId);
      const command: ArchiveStitch = { projectId, environmentId, act: actOf(call) };
      await node.ask<null>(stitch(stitchId), 'archive', command, call);
      return {};
    },

    rotateStitchSecret: async call => {
      const { stitchId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfStitch, stitchId);
      const secret = newStitchSecret();
      const command: RotateSecret = {
        ...{ projectId, environmentId, author: authorOf(call) },
        jwe: await sealed(stitchId, secret),
        gracePeriodSeconds: call.body.gracePeriodSeconds ?? defaultGraceSeconds,
        act: actOf(call),
      };
      const rotated = await node.ask<Stitch>(stitch(stitchId), 'rotateSecret', command, call);
      const body: StitchWithSecret = { stitch: rotated, secret };
      return { body };
    },

    testStitch: async call => {
      const { stitchId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfStitch, stitchId);
      const { eventName } = call.body;
      if (eventName !== undefined && (!isKnownPattern(eventName) || eventName.endsWith('*'))) {
        throw invalid([{ path: '/body/eventName', message: 'must name an event', code: 'event' }]);
      }
      const command: TestStitch = {
        ...{ projectId, environmentId, author: authorOf(call) },
        ...(eventName === undefined ? {} : { eventName }),
      };
      return { body: await node.ask<WebhookDelivery>(stitch(stitchId), 'test', command, call) };
    },
  };
}
