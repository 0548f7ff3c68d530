/** Looms and their versions (docs/contract-decisions.md, "Loom and loom version"). */
import { invalid, notFound } from '../../protocol/errors.ts';
import type { loomOperations } from '../../protocol/operations/index.ts';
import { type CreateLoomVersionBody, defaultPageSize } from '../../protocol/resources/index.ts';
import {
  findLoomTenant,
  listLoomActivations,
  type LoomDefinition,
  type Looms,
  type LoomTarget,
  type LoomVersions,
} from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Cursors } from '../../storage/paging/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createAuditContext } from './caller.ts';
import { readCondition, tagged } from './tagged.ts';
import { requireScope, resolveScope } from './tenant-scope.ts';

export interface LoomServices {
  readonly database: Pick<Database, 'query'>;
  readonly looms: Looms;
  readonly versions: LoomVersions;
  readonly cursors: Cursors;
}

type Reads = Pick<
  typeof loomOperations,
  'listLooms' | 'getLoom' | 'listLoomActivations' | 'listLoomVersions' | 'getLoomVersion'
>;

export function loomHandlers(services: LoomServices): Handlers<typeof loomOperations> {
  return { ...readHandlers(services), ...writeHandlers(services) };
}

function readHandlers({ database, looms, versions, cursors }: LoomServices): Handlers<Reads> {
  return {
    listLooms: async call => {
      const { cursor, limit = defaultPageSize, archived } = call.query;
      return { body: await looms.list(requireScope(call), { cursor, limit, archived }) };
    },

    getLoom: async call => {
      const { loomId } = call.params;
      const found = await looms.find(await resolveScope(call, database, findLoomTenant, loomId), loomId);
      if (found === undefined) throw notFound();
      return tagged(found);
    },

    listLoomActivations: async call => {
      const { loomId } = call.params;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = await resolveScope(call, database, findLoomTenant, loomId);
      if ((await looms.find(scope, loomId)) === undefined) throw notFound();
      return { body: await listLoomActivations({ db: database, cursors }, scope, loomId, { cursor, limit }) };
    },

    listLoomVersions: async call => {
      const { loomId } = call.params;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = await resolveScope(call, database, findLoomTenant, loomId);
      if ((await looms.find(scope, loomId)) === undefined) throw notFound();
      return { body: await versions.list(scope, loomId, { cursor, limit }) };
    },

    getLoomVersion: async call => {
      const { loomId, loomVersionId } = call.params;
      const scope = await resolveScope(call, database, findLoomTenant, loomId);
      const found = await versions.find(scope, loomId, loomVersionId);
      if (found === undefined) throw notFound();
      return { body: found };
    },
  };
}

function writeHandlers({
  database,
  looms,
  versions,
}: LoomServices): Handlers<Omit<typeof loomOperations, keyof Reads>> {
  return {
    createLoom: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { name, metadata = {}, ...definition } = call.body;
      const loom = { projectId, environmentId, name, metadata, definition: toDefinition(definition) };
      const request = { ...loom, ...createAuditContext(call) };
      return { body: await call.once(key => looms.create({ ...request, key })) };
    },

    updateLoom: async call => {
      const { projectId: _, archived, ...given } = call.body;
      const changes = archived === undefined ? given : { ...given, status: 'active' as const };
      const target = await createTarget(database, call, call.params.loomId);
      return tagged(await looms.update({ ...target, changes, ...readCondition(call) }));
    },

    archiveLoom: async call => {
      const target = await createTarget(database, call, call.params.loomId);
      await looms.update({ ...target, changes: { status: 'archived' }, ...readCondition(call) });
      return {};
    },

    activateLoomVersion: async call => {
      const { loomVersionId, expectedActiveVersionId, reason = null } = call.body;
      const target = await createTarget(database, call, call.params.loomId);
      const activation = { ...target, loomVersionId, expectedActiveVersionId, reason };
      return { body: await call.once(key => looms.activate({ ...activation, key })) };
    },

    createLoomVersion: async call => {
      const { activate = true, reason = null, ...given } = call.body;
      if (!activate && reason !== null) throw reasonWithoutActivation();
      const target = await createTarget(database, call, call.params.loomId);
      const version = { ...target, definition: toDefinition(given), activate, reason };
      return { body: await call.once(key => versions.create({ ...version, key })) };
    },

    updateLoomVersion: async call => {
      const { loomVersionId } = call.params;
      const { archived } = call.body;
      const status = archived === undefined ? call.body.status : 'published';
      const target = await createTarget(database, call, call.params.loomId);
      return { body: await versions.setStatus({ ...target, loomVersionId, status }) };
    },

    archiveLoomVersion: async call => {
      const { loomVersionId } = call.params;
      const target = await createTarget(database, call, call.params.loomId);
      await versions.setStatus({ ...target, loomVersionId, status: 'archived' });
      return {};
    },
  };
}

function reasonWithoutActivation(): Error {
  const message = 'is for a version that is activated';
  return invalid([{ path: '/body/reason', message, code: 'activate' }]);
}

async function createTarget(
  database: LoomServices['database'],
  call: Call,
  loomId: string,
): Promise<LoomTarget> {
  const { projectId, environmentId } = await resolveScope(call, database, findLoomTenant, loomId);
  return { projectId, environmentId, loomId, ...createAuditContext(call) };
}

function toDefinition(
  given: Omit<CreateLoomVersionBody, 'projectId' | 'activate' | 'reason'>,
): LoomDefinition {
  const { systemPrompt, provider, model, rules = [], toolIds = [], metadata = {} } = given;
  const { byokCredentialId = null, mode = null, temperature = null, maxTokens = null } = given;
  return {
    systemPrompt,
    provider,
    model,
    rules,
    toolIds,
    metadata,
    byokCredentialId,
    mode,
    temperature,
    maxTokens,
  };
}
