/** A node with an agent, two tools, and a model that follows a script. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Api, type Message, type Page } from '../demo/api.ts';
import { Endpoint } from '../demo/endpoint.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child } from '../support/child.ts';
import { startSkein, type Skein } from '../support/skein.ts';

export interface Run {
  readonly agentRunId: string;
  readonly threadId: string;
  readonly status: string;
  readonly errorCode: string | null;
  readonly trace: {
    readonly suggestion?: { readonly status: string; readonly basedOnSequence: number };
    readonly steps: readonly { readonly toolCalls: readonly TracedCall[] }[];
  };
}

export interface TracedCall {
  readonly callId: string;
  readonly status: string;
  readonly attempts: number;
  /** The answer of the tool: the number of this arrival of the call. */
  readonly result: { readonly arrival?: number } | null;
}

/** A message of a thread, with who wrote it. */
export type WrittenMessage = Message & {
  readonly direction: string;
  readonly actor: { readonly type: string };
};

/** What the model does: see model-server.ts. */
export interface Script {
  readonly steps: number;
  readonly calls: number;
  readonly delayMs: number;
}

const pollMs = 50;
const toolAnswerMs = 30;

export class AgentSetup {
  readonly skein: Skein;
  /** Calls as an operator. */
  readonly operator: Api;
  /** How often each call reached a tool, by its Idempotency-Key. */
  readonly arrivals: ReadonlyMap<string, number>;
  readonly #agentId: string;

  private constructor(skein: Skein, arrivals: ReadonlyMap<string, number>, agentId: string) {
    this.skein = skein;
    this.operator = new Api(skein.server.url, skein.accessToken);
    this.arrivals = arrivals;
    this.#agentId = agentId;
  }

  /** Runs the work on a setup of its own, and stops it afterwards. */
  static async with(
    database: BenchDatabase,
    name: string,
    mode: 'auto' | 'suggest',
    work: (setup: AgentSetup) => Promise<void>,
  ): Promise<void> {
    const model = new Child(new URL('./model-server.ts', import.meta.url));
    const port = await model.hear<number>();
    const arrivals = new Map<string, number>();
    const tools = new Endpoint(({ headers }, _body, response) => {
      const key = String(headers['idempotency-key']);
      const arrival = (arrivals.get(key) ?? 0) + 1;
      arrivals.set(key, arrival);
      const answer = JSON.stringify({ arrival });
      const head = { 'content-type': 'application/json' };
      setTimeout(() => response.writeHead(200, head).end(answer), toolAnswerMs);
    });
    const skein = await startSkein(database, name, {
      LLM_PROVIDER_1_URL: `http://127.0.0.1:${port}/v1`,
    });
    try {
      const agentId = await makeAgent(skein, await tools.listen('/'), mode);
      await work(new AgentSetup(skein, arrivals, agentId));
    } finally {
      await skein.stop();
      await tools.close();
      await model.stop();
    }
  }

  /** Creates a thread whose participant sends the script. The agent does not answer by itself. */
  async ask(script: Script): Promise<string> {
    const { api, projectId, channelId } = this.skein;
    const who = randomBytes(6).toString('hex');
    const body = `steps=${script.steps} calls=${script.calls} delayMs=${script.delayMs}`;
    const message = { projectId, externalParticipantRef: who, body };
    const path = `/channels/${channelId}/inbound-messages`;
    return (await api.post<Message>(path, message, who)).threadId;
  }

  /** Starts a run on the thread. */
  async run(threadId: string): Promise<Run> {
    const { api, projectId } = this.skein;
    return await api.post<Run>(`/agents/${this.#agentId}/runs`, { projectId, threadId });
  }

  async read({ agentRunId }: Pick<Run, 'agentRunId'>): Promise<Run> {
    return await this.skein.api.get<Run>(`/agent-runs/${agentRunId}?projectId=${this.skein.projectId}`);
  }

  /** The run once it has ended. */
  async end(run: Pick<Run, 'agentRunId'>): Promise<Run> {
    for (;;) {
      const now = await this.read(run);
      if (hasEnded(now)) return now;
      await pause(pollMs);
    }
  }

  async messages(threadId: string): Promise<readonly WrittenMessage[]> {
    const { api, projectId } = this.skein;
    const path = `/threads/${threadId}/messages?projectId=${projectId}`;
    return (await api.get<Page<WrittenMessage>>(path)).data;
  }
}

async function makeAgent(
  { api, accessToken, server, projectId }: Skein,
  url: string,
  mode: string,
): Promise<string> {
  const studio = new Api(server.url, accessToken);
  const credential = { projectId, provider: 'llm_provider_1', displayName: 'Bench', secret: 'bench-key' };
  await studio.post('/byok-credentials', credential);
  const toolIds: string[] = [];
  for (const [name, retryMaxAttempts] of [
    ['once', 1],
    ['twice', 2],
  ] as const) {
    const tool = { projectId, name, url, retryMaxAttempts, timeoutMs: 2_000 };
    toolIds.push((await api.post<{ toolId: string }>('/tools', tool)).toolId);
  }
  const loom = await api.post<{ loomId: string }>('/looms', {
    projectId,
    name: 'Bench',
    systemPrompt: 'Do as you are told.',
    toolIds,
    provider: 'llm_provider_1',
    model: 'bench',
  });
  const agent = { projectId, name: 'Bench', mode, loomId: loom.loomId };
  return (await api.post<{ agentId: string }>('/agents', agent)).agentId;
}

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return ['succeeded', 'failed', 'cancelled'].includes(status);
}

/** Does the work for each item, so many at once. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) {
      const item = items[i];
      if (item !== undefined) results[i] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** Does the work that many times, so many at once. */
export function repeat<Result>(
  times: number,
  atOnce: number,
  work: () => Promise<Result>,
): Promise<Result[]> {
  return inParallel([...Array(times).keys()], atOnce, work);
}
