/** Looms and their versions over REST (decisions, sections 2 and 4). */
import { notFound } from '../../../protocol/errors.ts';
import type { loomOperations } from '../../../protocol/operations/looms.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { CreateLoomVersionBody } from '../../../protocol/resources/loom.ts';
import type { LoomDefinition } from '../../../storage/agents/loom-definition.ts';
import type { LoomVersions } from '../../../storage/agents/loom-versions.ts';
import type { Looms, LoomTarget } from '../../../storage/agents/looms.ts';
import { placeOfLoom } from '../../../storage/agents/places.ts';
import type { Database } from '../../../storage/database.ts';
import type { Call, Handlers } from '../handler.ts';
import { deedOf } from './author.ts';
import { placeOfCall, scopeById } from './place.ts';

export interface LoomServices {
  readonly database: Pick<Database, 'query'>;
  readonly looms: Looms;
  readonly versions: LoomVersions;
}

export function loomHandlers({ database, looms, versions }: LoomServices): Handlers<typeof loomOperations> {
  return {
    listLooms: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await looms.list(placeOfCall(call), { cursor, limit }) };
    },

    createLoom: async call => {
      const { projectId, environmentId } = placeOfCall(call);
      const { name, metadata = {}, ...definition } = call.body;
      const loom = { projectId, environmentId, name, metadata, definition: definitionOf(definition) };
      return { body: await looms.create({ ...loom, ...deedOf(call) }) };
    },

    getLoom: async call => {
      const { loomId } = call.params;
      const found = await looms.find(await scopeById(call, database, placeOfLoom, loomId), loomId);
      if (found === undefined) throw notFound();
      return { body: found };
    },

    updateLoom: async call => {
      const { projectId: _, ...changes } = call.body;
      return { body: await looms.update({ ...(await targetOf(call, call.params.loomId)), changes }) };
    },

    activateLoomVersion: async call => {
      const { loomVersionId } = call.body;
      return { body: await looms.activate({ ...(await targetOf(call, call.params.loomId)), loomVersionId }) };
    },

    listLoomVersions: async call => {
      const { loomId } = call.params;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = await scopeById(call, database, placeOfLoom, loomId);
      if ((await looms.find(scope, loomId)) === undefined) throw notFound();
      return { body: await versions.list(scope, loomId, { cursor, limit }) };
    },

    createLoomVersion: async call => {
      const { activate = true, ...definition } = call.body;
      const target = await targetOf(call, call.params.loomId);
      return { body: await versions.create({ ...target, definition: definitionOf(definition), activate }) };
    },

    getLoomVersion: async call => {
      const { loomId, loomVersionId } = call.params;
      const scope = await scopeById(call, database, placeOfLoom, loomId);
      const found = await versions.find(scope, loomId, loomVersionId);
      if (found === undefined) throw notFound();
      return { body: found };
    },

    updateLoomVersion: async call => {
      const { loomVersionId } = call.params;
      const { status } = call.body;
      return {
        body: await versions.setStatus({
          ...(await targetOf(call, call.params.loomId)),
          loomVersionId,
          status,
        }),
      };
    },
  };

  async function targetOf(call: Call, loomId: string): Promise<LoomTarget> {
    const { projectId, environmentId } = await scopeById(call, database, placeOfLoom, loomId);
    return { projectId, environmentId, loomId, ...deedOf(call) };
  }
}

function definitionOf(given: Omit<CreateLoomVersionBody, 'projectId' | 'activate'>): LoomDefinition {
  const { systemPrompt, provider, model, rules = [], toolIds = [], metadata = {} } = given;
  const { byokCredentialId = null, mode = null, temperature = null, maxTokens = null } = given;
  return {
    ...{ systemPrompt, provider, model, rules, toolIds, metadata },
    ...{ byokCredentialId, mode, temperature, maxTokens },
  };
}
