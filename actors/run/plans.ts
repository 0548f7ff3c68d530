/** Plans model steps: reads from the database what one step needs (see `Plans` in services.ts). */
import type { Clock } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import {
  byokResource,
  byokSecretContext,
  type ConversationMessage,
  findModelCredential,
  findModelDefinition,
  listModelTools,
  type ModelDefinition,
  type ModelTool,
  readModelHistory,
  type SealedCredential,
} from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { SealBroken } from '../../storage/secrets/index.ts';
import type { RunErrorCode, RunFailure } from './commands.ts';
import { handoffTool } from './models/handoff.ts';
import type { StepRequest } from './task-requests.ts';
import type { PlannedTool, Plans } from './services.ts';

/** How much of the conversation a model is given, in tokens. */
const defaultHistoryTokens = 12_000;
const charactersPerToken = 4;
/** The most messages that are read, however short they are. */
const maxMessages = 200;

export interface PlanServices {
  readonly db: Pick<Database, 'query'>;
  readonly vault: { open(context: string, jwe: string): Promise<string> };
  readonly clock: Clock;
  readonly log: Log;
  /** Default 12,000. */
  readonly historyTokens?: number;
}

/** The newest first. */
function openKeys(
  vault: PlanServices['vault'],
  credential: SealedCredential,
  now: number,
): Promise<string[]> {
  const { byokCredentialId, status, secret, previousSecret, rotationGraceExpiresAt } = credential;
  const inGrace = status === 'rotating' && (rotationGraceExpiresAt?.getTime() ?? 0) > now;
  const sealed = inGrace && previousSecret !== null ? [secret, previousSecret] : [secret];
  return Promise.all(sealed.map(jwe => vault.open(byokSecretContext(byokCredentialId), jwe)));
}

export function createPlans({ db, vault, clock, log, ...options }: PlanServices): Plans {
  const characters = (options.historyTokens ?? defaultHistoryTokens) * charactersPerToken;

  async function readHistory(
    request: StepRequest,
    typed: readonly ConversationMessage[],
  ): Promise<PromptMessage[]> {
    const { projectId, environmentId, threadId, basedOnSequence: throughSequence } = request;
    const newest = [...typed].reverse();
    if (threadId === null) return createHistory(newest, characters);
    const key = { projectId, environmentId, threadId, throughSequence };
    const stored = await readModelHistory(db, { ...key, characters, limit: maxMessages });
    return createHistory([...newest, ...stored], characters);
  }

  return {
    async createPlan(request, typed = []) {
      const { projectId, environmentId, head } = request;
      const { loomId, loomVersionId } = head;
      const key = { projectId, environmentId, loomId, loomVersionId };
      const now = clock.now();
      const [version, credential, tools, history] = await Promise.all([
        findModelDefinition(db, key),
        findModelCredential(db, key),
        listModelTools(db, key, new Date(now)),
        readHistory(request, typed),
      ]);
      if (version === undefined) return createFailure('configuration', 'the loom version no longer exists');
      if (credential === undefined) return createFailure('byok_missing', describeMissingKey(version));
      const { model, modelAllowlist } = { ...version, ...credential };
      if (modelAllowlist.length > 0 && !modelAllowlist.includes(model)) {
        const message = `the key "${credential.displayName}" does not allow ${model}`;
        return createFailure('model_not_allowed', message);
      }
      try {
        const keys = await openKeys(vault, credential, now);
        return {
          provider: version.provider,
          model,
          history,
          systemPrompt: createPrompt(version),
          temperature: version.temperature,
          maxTokens: version.maxTokens,
          tools: toPlannedTools(tools),
          credential: { resource: byokResource(credential, now), keys },
        };
      } catch (err) {
        if (!(err instanceof SealBroken)) throw err;
        log.error({ err }, 'the key of an LLM provider cannot be opened');
        return createFailure('internal_error', 'the key of the provider cannot be read');
      }
    },
  };
}

function createFailure(errorCode: RunErrorCode, errorMessage: string): { readonly failure: RunFailure } {
  return { failure: { errorCode, errorMessage } };
}

function describeMissingKey({ provider, byokCredentialId }: ModelDefinition): string {
  return byokCredentialId === null
    ? `the environment has no active key of ${provider}`
    : `the loom version wants the key ${byokCredentialId}, which is revoked or not one of ${provider} here`;
}

function createPrompt({ systemPrompt, rules }: ModelDefinition): string {
  if (rules.length === 0) return systemPrompt;
  return `${systemPrompt}\n\nRules:\n${rules.map(rule => `- ${rule}`).join('\n')}`;
}

function toPlannedTools(listed: readonly ModelTool[]): PlannedTool[] {
  const names = createToolNames(
    listed.map(({ name }) => name),
    [handoffTool.name],
  );
  return listed.flatMap((tool, index) => {
    const { toolId, name, description, inputSchema, timeoutMs, requiresApproval } = tool;
    return tool.callable
      ? {
          toolId,
          name: names[index] ?? toolId,
          description: description ?? name,
          timeoutMs,
          requiresApproval,
          // All providers require the schema of an object.
          inputSchema: { ...inputSchema, type: 'object' },
        }
      : [];
  });
}

/** Providers accept letters, digits, `_` and `-`, a letter or `_` first, up to this many characters. */
const maxToolNameCharacters = 64;

/**
 * A name for each tool, in their order, derived from the names that people gave them. No name occurs twice, and none is a reserved
 * one. The names depend on nothing else, so the call of an earlier step can still be matched with its tool.
 */
export function createToolNames(given: readonly string[], reserved: readonly string[]): string[] {
  const taken = new Set(reserved);
  return given.map(text => {
    const letters = text
      .normalize('NFKD')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const name = (/^[A-Za-z]/.test(letters) ? letters : `tool_${letters}`).slice(0, maxToolNameCharacters);
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name.slice(0, maxToolNameCharacters - 4)}_${n}`;
    taken.add(free);
    return free;
  });
}

/** A message in the model library's form. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** These stand in for missing messages: providers require that the user begins a conversation and speaks last. */
const missingBeginning = '(The conversation begins with a message of ours.)';
const missingConversation = '(There is no message yet.)';
const missingEnd = '(There is no new message. Go on.)';

/**
 * The newest messages that fit the budget, oldest first. The newest message is included whatever its length. Models charge by their
 * own tokens, each of which is about four characters.
 *
 * @param newestFirst in the order in which they are read
 * @param characters the budget
 */
export function createHistory(
  newestFirst: readonly ConversationMessage[],
  characters: number,
): PromptMessage[] {
  const history: PromptMessage[] = [];
  let length = 0;
  for (const message of newestFirst) {
    const content = toContent(message);
    // Erasing personal data leaves an empty message behind.
    if (content === '') continue;
    length += content.length;
    if (length > characters && history.length > 0) break;
    history.unshift({ role: message.direction === 'inbound' ? 'user' : 'assistant', content });
  }
  if (history.length === 0) return [{ role: 'user', content: missingConversation }];
  if (history[0]?.role === 'assistant') history.unshift({ role: 'user', content: missingBeginning });
  if (history.at(-1)?.role === 'assistant') history.push({ role: 'user', content: missingEnd });
  return history;
}

function toContent({ body, attachments }: ConversationMessage): string {
  const files = attachments.map(({ kind, filename, mimeType }) => {
    const details = [filename, mimeType].filter(text => text !== undefined);
    return `[${[`attached ${kind}`, ...details].join(', ')}]`;
  });
  return [body.trim() === '' ? '' : body, ...files].filter(text => text !== '').join('\n');
}
