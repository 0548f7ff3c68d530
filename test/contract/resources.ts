/** Things that scenarios need: made over REST, in an environment, each time anew. */
import { randomBytes } from 'node:crypto';
import type { AgentRun } from '../../protocol/resources/agent.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { ThreadNote } from '../../protocol/resources/note.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { eventually } from '../support/eventually.ts';
import { callingModel, silentModel } from './models.ts';
import type { TenantEnvironment } from './contract-fixture.ts';

/** A text that nothing else has. */
export function unique(): string {
  return randomBytes(9).toString('base64url');
}

export async function newChannel(
  env: TenantEnvironment,
  kind: 'custom' | 'sandbox' | 'chatapp' = 'custom',
): Promise<string> {
  const { projectId, environmentId, key } = env;
  const body = { projectId, environmentId, name: unique(), kind };
  return (await key.get<{ channelId: string }>('createChannel', { body })).channelId;
}

const channels = new WeakMap<TenantEnvironment, Promise<string>>();

/** A custom channel of the environment: the same each time. */
export function getChannel(env: TenantEnvironment): Promise<string> {
  let channel = channels.get(env);
  if (channel === undefined) channels.set(env, (channel = newChannel(env)));
  return channel;
}

/** An inbound message, on a new thread of the environment's channel. */
export async function newInbound(env: TenantEnvironment): Promise<Message> {
  const { projectId, key } = env;
  return key.get<Message>('createInboundMessage', {
    params: { channelId: await getChannel(env) },
    body: { projectId, externalParticipantRef: unique(), body: 'hello' },
  });
}

export async function newThread({ projectId, environmentId, key }: TenantEnvironment): Promise<string> {
  return (await key.get<Thread>('createThread', { body: { projectId, environmentId } })).threadId;
}

/** A thread of a sandbox channel that has received a message. */
export async function newSimulated(env: TenantEnvironment): Promise<{ channelId: string; threadId: string }> {
  const { projectId, key } = env;
  const channelId = await newChannel(env, 'sandbox');
  const { threadId } = await key.get<{ threadId: string }>('simulateSandbox', {
    params: { channelId },
    body: { projectId, event: 'inbound', externalParticipantRef: unique(), body: 'hello' },
  });
  return { channelId, threadId };
}

/** An outbound message of a thread that the channel owns. */
export async function newOutbound(env: TenantEnvironment): Promise<Message> {
  const { projectId, key } = env;
  const { threadId } = await newInbound(env);
  return key.get<Message>('createMessage', { params: { threadId }, body: { projectId, body: 'hi' } });
}

export async function newNote(env: TenantEnvironment): Promise<ThreadNote> {
  const { projectId, key } = env;
  const params = { threadId: await newThread(env) };
  return key.get<ThreadNote>('createNote', { params, body: { projectId, body: 'to self' } });
}

export async function newStitch(env: TenantEnvironment): Promise<string> {
  const { projectId, key, webhookUrl } = env;
  // Asks for what nothing here does, so that what a test makes is not delivered a hundred times.
  const body = { projectId, name: unique(), webhookUrl, eventNames: ['byok.credential.rejected'] };
  return (await key.get<{ stitch: { stitchId: string } }>('createStitch', { body })).stitch.stitchId;
}

const readStitches = new WeakMap<TenantEnvironment, Promise<string>>();

/** One for all that only read it: an environment has room for a hundred. */
export function getStitchToRead(env: TenantEnvironment): Promise<string> {
  const known = readStitches.get(env) ?? newStitch(env);
  readStitches.set(env, known);
  return known;
}

export async function newDelivery(
  env: TenantEnvironment,
): Promise<{ deliveryId: string; eventId: string; stitchId: string }> {
  const { projectId, key } = env;
  const params = { stitchId: await newStitch(env) };
  return key.get('testStitch', { params, body: { projectId } });
}

/** What a loom's version says, of the least. */
export const definition = {
  systemPrompt: 'Answer.',
  provider: 'llm_provider_1',
  model: 'model-1',
} as const;

export async function newByokCredential({
  person,
  projectId,
  environmentId,
}: TenantEnvironment): Promise<string> {
  const given = { provider: 'llm_provider_1', displayName: unique(), secret: `secret-${unique()}` };
  const body = { projectId, environmentId, ...given };
  return (await person.get<{ byokCredentialId: string }>('createByokCredential', { body })).byokCredentialId;
}

/** A tool that posts to where the environment's stitches post to. */
export async function newTool(
  { key, projectId, webhookUrl }: TenantEnvironment,
  more: { requiresApproval?: boolean } = {},
): Promise<string> {
  const body = { projectId, name: unique(), url: webhookUrl, ...more };
  return (await key.get<{ toolId: string }>('createTool', { body })).toolId;
}

export async function newLoom({
  key,
  projectId,
}: TenantEnvironment): Promise<{ loomId: string; loomVersionId: string }> {
  const body = { projectId, name: unique(), ...definition };
  const loom = await key.get<{ loomId: string; activeVersionId: string }>('createLoom', { body });
  return { loomId: loom.loomId, loomVersionId: loom.activeVersionId };
}

/** A version of a new loom that is not its active one. */
export async function newVersion(env: TenantEnvironment): Promise<{ loomId: string; loomVersionId: string }> {
  const { loomId } = await newLoom(env);
  const body = { projectId: env.projectId, ...definition, activate: false };
  const made = await env.key.get<{ loomVersionId: string }>('createLoomVersion', {
    params: { loomId },
    body,
  });
  return { loomId, loomVersionId: made.loomVersionId };
}

const credentials = new WeakMap<TenantEnvironment, Promise<string>>();

/** An agent with a loom of its own that a model answers for, or does not: see models.ts. */
export async function newAnswering(
  env: TenantEnvironment,
  more: { model?: string; mode?: string; toolIds?: string[] } = {},
): Promise<string> {
  const { projectId, key } = env;
  if (!credentials.has(env)) credentials.set(env, newByokCredential(env));
  const byokCredentialId = await credentials.get(env);
  const { mode = 'suggest', model = definition.model, toolIds = [] } = more;
  const loom = { projectId, name: unique(), ...definition, model, byokCredentialId, toolIds };
  const { loomId } = await key.get<{ loomId: string }>('createLoom', { body: loom });
  const body = { projectId, name: unique(), loomId, mode };
  return (await key.get<{ agentId: string }>('createAgent', { body })).agentId;
}

/** A run whose model says nothing, so that it goes on until it is cancelled. */
export async function newSilentRun(env: TenantEnvironment): Promise<string> {
  const agentId = await newAnswering(env, { model: silentModel });
  const asked = { params: { agentId }, body: { projectId: env.projectId } };
  return (await env.key.get<AgentRun>('createAgentRun', asked)).agentRunId;
}

interface Traced {
  readonly steps: readonly { readonly toolCalls: readonly { callId: string; status: string }[] }[];
}

/** A run with a tool call that waits for a person. */
export async function newAwaitingCall(
  env: TenantEnvironment,
): Promise<{ agentRunId: string; toolCallId: string }> {
  const { projectId, key } = env;
  const toolIds = [await newTool(env, { requiresApproval: true })];
  const agentId = await newAnswering(env, { model: callingModel, toolIds });
  const asked = { params: { agentId }, body: { projectId } };
  const { agentRunId } = await key.get<AgentRun>('createAgentRun', asked);
  let toolCallId = '';
  await eventually('tool call that waits', async () => {
    const run = await key.get<AgentRun>('getAgentRun', { params: { agentRunId } });
    if (run.status === 'failed') throw new Error(`the run has failed: ${run.errorMessage ?? ''}`);
    const [call] = (run.trace as unknown as Traced).steps.at(-1)?.toolCalls ?? [];
    toolCallId = call?.callId ?? '';
    return call?.status === 'awaiting_approval';
  });
  return { agentRunId, toolCallId };
}

/** A run that has a suggestion pending, on that thread or a new one. */
export async function newSuggestion(env: TenantEnvironment, threadId?: string): Promise<AgentRun> {
  const { projectId, key } = env;
  const agentId = await newAnswering(env);
  const body = { projectId, threadId: threadId ?? (await newThread(env)) };
  let run = await key.get<AgentRun>('createAgentRun', { params: { agentId }, body });
  const { agentRunId } = run;
  await eventually('suggestion', async () => {
    run = await key.get<AgentRun>('getAgentRun', { params: { agentRunId } });
    if (run.status === 'failed') throw new Error(`the run has failed: ${run.errorMessage ?? ''}`);
    return run.status === 'succeeded';
  });
  return run;
}

/** An agent with a loom of its own. */
export async function newAgent(env: TenantEnvironment): Promise<{ agentId: string; loomId: string }> {
  const { loomId } = await newLoom(env);
  const body = { projectId: env.projectId, name: unique(), loomId };
  const { agentId } = await env.key.get<{ agentId: string }>('createAgent', { body });
  return { agentId, loomId };
}
