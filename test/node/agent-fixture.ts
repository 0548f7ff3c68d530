/** A node with an agent at work: a model that answers by script, tools that do as they are told, and a Console that sees it all. */
import { ConsoleStream, type StreamEvent } from '../../bench/demo/console-stream.ts';
import type { EventName } from '../../protocol/events.ts';
import type { Agent, AgentRun } from '../../protocol/resources/agent.ts';
import type { Loom } from '../../protocol/resources/loom.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { CreatedTool } from '../../protocol/resources/tool.ts';
import { chunk, stream } from '../actors/run/models/model-fixture.ts';
import type { Ending } from '../support/node-process.ts';
import { Receiver, type Behaviour } from '../support/receiver.ts';
import type { ListOf } from './client.ts';
import type { Tenant } from './tenant.ts';

/** A key of a provider, and a header of every tool: nobody but the two of them may ever see either. */
export const providerKey = 'sk-provider-hush-0123456789';
export const toolSecret = 'tool-hush-0123456789';

const usage = `data: ${JSON.stringify({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [],
  usage: { prompt_tokens: 2_000, completion_tokens: 100, total_tokens: 2_100 },
})}\n\n`;

/** The model answers in so many pieces. */
export function says(...pieces: readonly string[]): Behaviour {
  const text = pieces.map(content => chunk({ role: 'assistant', content }));
  return stream(...text, chunk({}, 'stop'), usage);
}

/** The model calls tools by these names. */
export function wants(...names: readonly string[]): Behaviour {
  const calls = names.map((name, index) => ({
    index,
    id: `call_${name}`,
    type: 'function',
    function: { name, arguments: '{"order":17}' },
  }));
  return stream(
    chunk({ role: 'assistant', content: null, tool_calls: calls }),
    chunk({}, 'tool_calls'),
    usage,
  );
}

/** Takes a request, and keeps it until it is told what to answer. */
export class Held {
  /** Resolves when the request is there. */
  readonly asked: Promise<void>;
  /** How the request ended. */
  readonly ended: Promise<'answered' | 'broken off'>;
  readonly behaviour: Behaviour;
  #answer: ((behaviour: Behaviour) => void) | undefined;

  constructor() {
    const asked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<'answered' | 'broken off'>();
    this.asked = asked.promise;
    this.ended = ended.promise;
    this.behaviour = (request, response) => {
      this.#answer = behaviour => behaviour(request, response);
      response.on('close', () => ended.resolve(response.writableEnded ? 'answered' : 'broken off'));
      asked.resolve();
    };
  }

  answer(behaviour: Behaviour): void {
    this.#answer?.(behaviour);
  }
}

interface Prompt {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** One request after the other; the last of them again and again. */
function inTurn(behaviours: readonly Behaviour[]): Behaviour {
  let taken = 0;
  return (request, response) => {
    behaviours[Math.min(taken++, behaviours.length - 1)]?.(request, response);
  };
}

export class AgentFixture {
  readonly tenant: Tenant;
  readonly model: Receiver;
  readonly tools: Receiver;
  readonly stream: ConsoleStream;
  readonly agentIds: Readonly<Record<'auto' | 'suggest', string>>;
  readonly loomId: string;
  readonly toolIds: Readonly<Record<string, string>>;
  /** Prompts by question. */
  readonly prompts = new Map<string, Prompt[]>();
  readonly #questions = new Map<string, Behaviour>();
  readonly #tools = new Map<string, Behaviour>();

  private constructor(
    parts: Pick<AgentFixture, 'tenant' | 'model' | 'tools' | 'stream' | 'agentIds' | 'loomId' | 'toolIds'>,
  ) {
    const { tenant, model, tools, stream, agentIds, loomId, toolIds } = parts;
    this.tenant = tenant;
    this.model = model;
    this.tools = tools;
    this.stream = stream;
    this.agentIds = agentIds;
    this.loomId = loomId;
    this.toolIds = toolIds;
    model.behaviour = (request, response) => {
      const prompt = JSON.parse(request.body) as Prompt;
      const question = toText(prompt.messages.findLast(({ role }) => role === 'user')?.content);
      this.prompts.set(question, [...(this.prompts.get(question) ?? []), prompt]);
      this.#questions.get(question)?.(request, response);
    };
    tools.behaviour = (request, response) => this.#tools.get(request.path)?.(request, response);
  }

  /**
   * @param model where the node looks for `llm_provider_1`
   * @param attempts of each tool, by its name
   */
  static async start(
    t: Ending,
    tenant: Tenant,
    model: Receiver,
    attempts: Readonly<Record<string, number>>,
  ): Promise<AgentFixture> {
    const { key, person, projectId } = tenant;
    const tools = await Receiver.start();
    t.teardown(() => tools.stop());
    const provider = 'llm_provider_1';
    await person.get('createByokCredential', {
      body: { projectId, provider, displayName: 'Key', secret: providerKey },
    });
    const toolIds: Record<string, string> = {};
    for (const [name, retryMaxAttempts] of Object.entries(attempts)) {
      const headers = { Authorization: `Bearer ${toolSecret}` };
      const body = { projectId, name, url: tools.url(`/${name}`), headers, retryMaxAttempts };
      const { toolId, signingSecret } = await key.get<CreatedTool>('createTool', { body });
      toolIds[name] = toolId;
      key.line.secrets.add(signingSecret);
    }
    const { loomId } = await key.get<Loom>('createLoom', {
      body: {
        projectId,
        name: 'Desk',
        systemPrompt: 'You answer.',
        provider,
        model: 'gpt-4o-mini',
        toolIds: Object.values(toolIds),
      },
    });
    const newAgent = async (mode: string): Promise<string> =>
      (await key.get<Agent>('createAgent', { body: { projectId, name: mode, mode, loomId } })).agentId;
    const agentIds = { auto: await newAgent('auto'), suggest: await newAgent('suggest') };
    const stream = new ConsoleStream(key.line.url, projectId, key.bearer ?? '');
    await stream.open();
    t.teardown(() => {
      stream.close();
      return Promise.resolve();
    });
    return new AgentFixture({ tenant, model, tools, stream, agentIds, loomId, toolIds });
  }

  /** What the model makes of a question: of its first step, its second ... */
  script(question: string, ...behaviours: readonly Behaviour[]): void {
    this.#questions.set(question, inTurn(behaviours));
  }

  /** What a tool makes of its calls, one after the other. */
  tool(name: string, ...behaviours: readonly Behaviour[]): void {
    this.#tools.set(`/${name}`, inTurn(behaviours));
  }

  /** The Idempotency-Key of each request that has reached the tool. */
  getKeys(name: string): unknown[] {
    return this.tools.received
      .filter(({ path }) => path === `/${name}`)
      .map(({ headers }) => headers['idempotency-key']);
  }

  /** A participant asks; the question is the name of its thread. */
  async ask(question: string, participant = question): Promise<Message> {
    const { key, projectId, channelId } = this.tenant;
    const body = { projectId, externalParticipantRef: participant, body: question };
    return await key.get<Message>('createInboundMessage', { params: { channelId }, body });
  }

  /** An agent is sent to the thread. */
  async send(threadId: string, mode: 'auto' | 'suggest'): Promise<AgentRun & { threadId: string }> {
    const { key, projectId } = this.tenant;
    const params = { agentId: this.agentIds[mode] };
    const run = await key.get<AgentRun>('createAgentRun', { params, body: { projectId, threadId } });
    return { ...run, threadId };
  }

  /** A participant asks, and an agent is sent there at once. */
  async run(question: string, mode: 'auto' | 'suggest' = 'auto'): Promise<AgentRun & { threadId: string }> {
    const { threadId } = await this.ask(question);
    return await this.send(threadId, mode);
  }

  /** The run as it is by now. */
  async read({ agentRunId }: Pick<AgentRun, 'agentRunId'>): Promise<AgentRun> {
    return await this.tenant.key.get<AgentRun>('getAgentRun', { params: { agentRunId } });
  }

  /** The first event of that name on the thread. */
  async event(eventName: EventName, threadId: string): Promise<StreamEvent['event']> {
    const { event } = await this.stream.find(
      ({ event }) => event.eventName === eventName && event.data['threadId'] === threadId,
    );
    return event;
  }

  /** The run once it is over. */
  async end(
    run: Pick<AgentRun, 'agentRunId'> & { readonly threadId: string },
    status: 'succeeded' | 'failed' | 'cancelled',
  ): Promise<AgentRun> {
    await this.event(`agent.run.${status}`, run.threadId);
    return await this.read(run);
  }

  /** What was sent on the thread, with who sent it. */
  async sent(threadId: string): Promise<{ by: string; body: string }[]> {
    const { data } = await this.tenant.key.get<ListOf<Message>>('listMessages', { params: { threadId } });
    return data
      .filter(({ direction }) => direction === 'outbound')
      .map(({ actor, body }) => ({ by: actor?.type ?? '', body }));
  }
}

/** A text, or the texts of its parts. */
function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = (Array.isArray(content) ? content : []) as readonly { readonly text?: string }[];
  return parts.map(({ text }) => text ?? '').join('');
}
