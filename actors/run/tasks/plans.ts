/** Plans of steps, read from the database: see `Plans`. */
import type { Clock } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import { byokResource, byokSecretContext } from '../../../storage/agents/byok.ts';
import type { Database } from '../../../storage/database.ts';
import {
  plannedCredential,
  plannedHistory,
  plannedTools,
  plannedVersion,
  type ListedTool,
  type PlannedVersion,
  type SealedCredential,
} from '../../../storage/reads/plans.ts';
import { SealBroken } from '../../../storage/vault.ts';
import type { RunErrorCode, RunFailure } from '../commands.ts';
import { historyOf, type HistoryMessage } from '../history.ts';
import { handoffTool } from '../models/handoff.ts';
import type { StepOrder } from '../orders.ts';
import type { PlannedTool, Plans } from '../services.ts';
import { toolNames } from '../tools/names.ts';

/** What of a conversation a model is given, in tokens. */
const defaultHistoryTokens = 12_000;
const charactersOfToken = 4;
/** Messages that are read, however short they are. */
const mostMessages = 200;

export interface PlanServices {
  readonly db: Pick<Database, 'query'>;
  readonly vault: { open(context: string, jwe: string): Promise<string> };
  readonly clock: Clock;
  readonly log: Log;
  /** Default 12,000. */
  readonly historyTokens?: number;
}

export function plansOf({ db, vault, clock, log, ...options }: PlanServices): Plans {
  const characters = (options.historyTokens ?? defaultHistoryTokens) * charactersOfToken;

  async function history(order: StepOrder): Promise<HistoryMessage[]> {
    const { projectId, environmentId, threadId, basedOnSequence: throughSequence } = order;
    if (threadId === null) return historyOf([], characters);
    const key = { projectId, environmentId, threadId, throughSequence };
    return historyOf(await plannedHistory(db, { ...key, characters, limit: mostMessages }), characters);
  }

  /** The newest first. */
  function keysOf(credential: SealedCredential, now: number): Promise<string[]> {
    const { byokCredentialId, status, secret, previousSecret, rotationGraceExpiresAt } = credential;
    const inGrace = status === 'rotating' && (rotationGraceExpiresAt?.getTime() ?? 0) > now;
    const sealed = inGrace && previousSecret !== null ? [secret, previousSecret] : [secret];
    return Promise.all(sealed.map(jwe => vault.open(byokSecretContext(byokCredentialId), jwe)));
  }

  return {
    async planOf(order) {
      const { projectId, environmentId, head } = order;
      const { loomId, loomVersionId } = head;
      const key = { projectId, environmentId, loomId, loomVersionId };
      const now = clock.now();
      const [version, credential, tools, messages] = await Promise.all([
        plannedVersion(db, key),
        plannedCredential(db, key),
        plannedTools(db, key, new Date(now)),
        history(order),
      ]);
      if (version === undefined) return failure('configuration', 'the loom version is not there any more');
      if (credential === undefined) return failure('byok_missing', missing(version));
      const { model, modelAllowlist } = { ...version, ...credential };
      if (modelAllowlist.length > 0 && !modelAllowlist.includes(model)) {
        return failure('model_not_allowed', `the key "${credential.displayName}" does not allow ${model}`);
      }
      try {
        const keys = await keysOf(credential, now);
        return {
          ...{ provider: version.provider, model, history: messages, systemPrompt: promptOf(version) },
          ...{ temperature: version.temperature, maxTokens: version.maxTokens, tools: toolsOf(tools) },
          credential: { resource: byokResource(credential, now), keys },
        };
      } catch (err) {
        if (!(err instanceof SealBroken)) throw err;
        log.error({ err }, 'the key of an LLM provider does not open');
        return failure('internal_error', 'the key of the provider cannot be read');
      }
    },
  };
}

function failure(errorCode: RunErrorCode, errorMessage: string): { readonly failure: RunFailure } {
  return { failure: { errorCode, errorMessage } };
}

function missing({ provider, byokCredentialId }: PlannedVersion): string {
  return byokCredentialId === null
    ? `the environment has no active key of ${provider}`
    : `the loom version wants the key ${byokCredentialId}, which is revoked or not one of ${provider} here`;
}

function promptOf({ systemPrompt, rules }: PlannedVersion): string {
  if (rules.length === 0) return systemPrompt;
  return `${systemPrompt}\n\nRules:\n${rules.map(rule => `- ${rule}`).join('\n')}`;
}

function toolsOf(listed: readonly ListedTool[]): PlannedTool[] {
  const names = toolNames(
    listed.map(({ name }) => name),
    [handoffTool.name],
  );
  return listed.flatMap(({ toolId, name, description, inputSchema, timeoutMs, callable }, index) =>
    callable
      ? {
          ...{ toolId, name: names[index] ?? toolId, description: description ?? name, timeoutMs },
          // All providers want the schema of an object.
          inputSchema: { ...inputSchema, type: 'object' },
        }
      : [],
  );
}
