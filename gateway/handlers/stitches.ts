/** Stitches (docs/contract-decisions.md, "Stitches"). */
import {
  type ArchiveStitch,
  type CreateStitch,
  decodeStitch,
  getSecretContext,
  type ReplayJob,
  type RotateSecret,
  type Sample,
  type SealedStitch,
  type StitchRow,
  type TestStitch,
  toStitch,
  type UpdateStitch,
} from '../../actors/stitch/index.ts';
import { invalid, notFound } from '../../protocol/errors.ts';
import { type EventName, isDelivered } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import { createEventData, exampleId } from '../../protocol/openapi/index.ts';
import type { stitchOperations } from '../../protocol/operations/index.ts';
import {
  defaultPageSize,
  type EnvironmentKind,
  type Stitch,
  type StitchReplay,
  type StitchStats,
  type StitchWithSecret,
  type WebhookDelivery,
} from '../../protocol/resources/index.ts';
import { newStitchSecret } from '../../protocol/signature.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { getUrlRefusal, type Reach } from '../../runtime/outbound/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { groupHours, readBacklog, readHours, summarise } from '../../storage/deliveries/index.ts';
import { toHour, type Limits } from '../../storage/writes/index.ts';
import { findStitch, findStitchTenant, stitchPage, type StitchRecord } from '../../storage/reads/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import { type Call, commitKey, type Handlers } from '../pipeline/index.ts';
import { createCommandAudit, getAuthor } from './caller.ts';
import { checkEventFilter } from './events.ts';
import { readCondition, tagged } from './tagged.ts';
import { resolveScope } from './tenant-scope.ts';

export interface StitchHandlerServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  /** What webhooks may reach: the same as in the pool. */
  readonly reach: Reach;
  readonly limits: Pick<Limits, 'stitches' | 'stitchesPerHost'>;
}

const defaultGraceSeconds = 86_400;
const defaultStatsHours = 24;
const hourMs = 3_600_000;

function toShown({ stitchId, row }: StitchRecord): Stitch {
  return toStitch(decodeStitch(row as StitchRow), stitchId);
}

function toStitchReplay(job: ReplayJob): StitchReplay {
  const { id, sourceStitchId, since, until, eventNames, statuses, onlyFailed = false } = job;
  const { startedAt = null, replayed = 0, after } = job;
  const span = { sourceStitchId, since, until, eventNames: [...eventNames], statuses: [...statuses] };
  const lastCreatedAt = after?.createdAt ?? null;
  return { replayId: id, ...span, onlyFailed, startedAt, replayed, lastCreatedAt };
}

type Reads = Pick<typeof stitchOperations, 'listStitches' | 'getStitch' | 'getStitchStats'>;
type SecretOperations = Pick<typeof stitchOperations, 'createStitch' | 'rotateStitchSecret'>;

/** 422 for an address that the guard would refuse, or a filter that selects no known event. */
export function stitchHandlers(services: StitchHandlerServices): Handlers<typeof stitchOperations> {
  return { ...readHandlers(services), ...secretHandlers(services), ...writeHandlers(services) };
}

const createStitchRef = (id: string): ActorRef => ({ kind: 'stitch', id });

function sealNewSecret(vault: Pick<Vault, 'seal'>, stitchId: string): Promise<string> {
  return vault.seal(getSecretContext(stitchId), newStitchSecret());
}

/**
 * Gives the stitch the secret of the command. The secret that is shown is opened from what the stitch has sealed: in a repetition that of
 * the first request.
 */
async function askForSecret(
  { node, vault }: Pick<StitchHandlerServices, 'node' | 'vault'>,
  call: Pick<Call, 'once' | 'requestId'>,
  stitchId: string,
  name: 'create' | 'rotateSecret',
  command: CreateStitch | RotateSecret,
): Promise<StitchWithSecret> {
  const { jwe, ...stitch } = await call.once<SealedStitch>(async key => {
    const keyed = { ...command, ...commitKey(key) };
    return { jwe: command.jwe, ...(await node.ask<Stitch>(createStitchRef(stitchId), name, keyed, call)) };
  });
  return { stitch, secret: await vault.open(getSecretContext(stitch.stitchId), jwe) };
}

function readHandlers({ database, cursors }: StitchHandlerServices): Handlers<Reads> {
  return {
    listStitches: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { cursor, limit = defaultPageSize, archived = false } = call.query;
      const scope = `stitches ${projectId} ${environmentId}${archived ? ' archived' : ''}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), stitchId: String(key[1]) };
      const tenant = { projectId, environmentId };
      const found = await stitchPage(database, { ...tenant, archived, after, limit });
      const { data, ...rest } = toPage(found, last =>
        cursors.encode(scope, [last.createdAt.getTime(), last.stitchId]),
      );
      return { body: { data: data.map(toShown), ...rest } };
    },

    getStitch: async call => {
      const { stitchId } = call.params;
      const scope = await resolveScope(call, database, findStitchTenant, stitchId);
      const found = await findStitch(database, scope, stitchId);
      if (found === undefined) throw notFound();
      return tagged(toShown(found));
    },

    getStitchStats: async call => {
      const { stitchId } = call.params;
      const scope = await resolveScope(call, database, findStitchTenant, stitchId);
      const found = await findStitch(database, scope, stitchId);
      if (found === undefined) throw notFound();
      const { projectId, environmentId } = scope;
      const { hours = defaultStatsHours } = call.query;
      const since = new Date(toHour(call.now) - (hours - 1) * hourMs);
      const [rows, backlog] = await Promise.all([
        readHours(database, scope, stitchId, since),
        readBacklog(database, scope, stitchId),
      ]);
      const body: StitchStats = {
        stitchId,
        projectId,
        environmentId,
        asOf: new Date(call.now).toISOString(),
        since: since.toISOString(),
        total: summarise(rows),
        hours: groupHours(rows),
        backlog,
        replays: decodeStitch(found.row as StitchRow).replays.map(toStitchReplay),
      };
      return { body };
    },
  };
}

/** Secrets are shown once, when they are made. */
function secretHandlers(services: StitchHandlerServices): Handlers<SecretOperations> {
  const { database, vault, limits } = services;
  const checkAddress = outboundAddressCheck(services.reach, '/body/webhookUrl');

  return {
    createStitch: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId, environmentKind } = call.project;
      const { name, webhookUrl, eventNames = [], metadata = {} } = call.body;
      checkAddress(webhookUrl, environmentKind);
      const filter = checkEventFilter(eventNames, '/body/eventNames');
      const stitchId = newId('stitch', call.now);
      const command: CreateStitch = {
        projectId,
        environmentId,
        environmentKind,
        name,
        webhookUrl,
        metadata,
        eventNames: filter,
        jwe: await sealNewSecret(vault, stitchId),
        act: createCommandAudit(call),
        limit: limits.stitches,
        hostLimit: limits.stitchesPerHost,
      };
      return { body: await askForSecret(services, call, stitchId, 'create', command) };
    },

    rotateStitchSecret: async call => {
      const { stitchId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findStitchTenant, stitchId);
      const command: RotateSecret = {
        projectId,
        environmentId,
        author: getAuthor(call),
        jwe: await sealNewSecret(vault, stitchId),
        gracePeriodSeconds: call.body.gracePeriodSeconds ?? defaultGraceSeconds,
        act: createCommandAudit(call),
      };
      return { body: await askForSecret(services, call, stitchId, 'rotateSecret', command) };
    },
  };
}

function writeHandlers(
  services: StitchHandlerServices,
): Handlers<Omit<typeof stitchOperations, keyof Reads | keyof SecretOperations>> {
  const { database, node } = services;
  const checkAddress = outboundAddressCheck(services.reach, '/body/webhookUrl');

  return {
    updateStitch: async call => {
      const { stitchId } = call.params;
      const scope = await resolveScope(call, database, findStitchTenant, stitchId);
      const { projectId, environmentId, environmentKind } = scope;
      const { projectId: _, eventNames, ...changes } = call.body;
      if (changes.webhookUrl !== undefined) checkAddress(changes.webhookUrl, environmentKind);
      const filter =
        eventNames === undefined ? {} : { eventNames: checkEventFilter(eventNames, '/body/eventNames') };
      const command: UpdateStitch = {
        projectId,
        environmentId,
        author: getAuthor(call),
        changes: { ...changes, ...filter },
        act: createCommandAudit(call),
        limit: services.limits.stitches,
        hostLimit: services.limits.stitchesPerHost,
        ...readCondition(call),
      };
      return tagged(await node.ask<Stitch>(createStitchRef(stitchId), 'update', command, call));
    },

    archiveStitch: async call => {
      const { stitchId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findStitchTenant, stitchId);
      const act = createCommandAudit(call);
      const command: ArchiveStitch = { projectId, environmentId, act, ...readCondition(call) };
      await node.ask<null>(createStitchRef(stitchId), 'archive', command, call);
      return {};
    },

    testStitch: async call => {
      const { stitchId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findStitchTenant, stitchId);
      const { eventName = testName } = call.body;
      if (!isDelivered(eventName)) {
        throw invalid([{ path: '/body/eventName', message: 'must name an event', code: 'event' }]);
      }
      const order: TestStitch = {
        projectId,
        environmentId,
        author: getAuthor(call),
        act: createCommandAudit(call),
        ...(eventName === testName ? {} : { sample: createSample(eventName, { projectId, environmentId }) }),
      };
      return {
        body: await call.once(key => {
          const command: TestStitch = { ...order, ...commitKey(key) };
          return node.ask<WebhookDelivery>(createStitchRef(stitchId), 'test', command, call);
        }),
      };
    },
  };
}

const testName = 'stitch.test.ping';

/** The event as the contract shows it, in the stitch's own project and environment. */
function createSample(eventName: EventName, { projectId, environmentId }: TenantScope): Sample {
  const text = JSON.stringify(createEventData(eventName))
    .replaceAll(exampleId('project'), projectId)
    .replaceAll(exampleId('environment'), environmentId);
  return { eventName, data: JSON.parse(text) as Sample['data'] };
}

/**
 * A check of the addresses in one field, by its path: 422 for one that the guard would refuse when it comes to sending
 * (docs/contract-decisions.md, "Outbound address guard").
 */
export function outboundAddressCheck(reach: Reach, path: string) {
  return (address: string, kind: EnvironmentKind): void => {
    const url = URL.parse(address);
    const refusal =
      url === null ? 'must be an address' : getUrlRefusal(url, { reach, httpsOnly: kind === 'production' });
    if (refusal !== undefined) throw invalid([{ path, message: refusal, code: 'address' }]);
  };
}
