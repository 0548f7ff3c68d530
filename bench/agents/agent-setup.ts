/** A node with an agent, two tools, and a model that follows a script. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Api, type Message } from '../demo/api.ts';
import { Endpoint } from '../demo/endpoint.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child } from '../support/child.ts';
import { startSkein, type Skein } from '../support/skein.ts';

const pollMs = 50;
const toolAnswerMs = 30;

export class AgentSetup {
  readonly skein: Skein;
  readonly #agentId: string;

  private constructor(skein: Skein, agentId: string) {
    this.skein = skein;
    this.#agentId = agentId;
  }

  static async start(database: BenchDatabase, name: string): Promise<AgentSetup> {
    const { endings } = database;
    const model = new Child(new URL('./model-server.ts', import.meta.url));
    endings.teardown(() => model.stop());
    const url = `http://127.0.0.1:${await model.hear<number>()}/v1`;
    const tools = new Endpoint((_request, _body, response) => {
      const head = { 'content-type': 'application/json' };
      setTimeout(() => response.writeHead(200, head).end('{"done":true}'), toolAnswerMs);
    });
    endings.teardown(() => tools.close());
    const skein = await startSkein(database, name, { LLM_PROVIDER_1_URL: url });
    return new AgentSetup(skein, await makeAgent(skein, await tools.listen('/')));
  }

  /** Creates a thread whose participant sends the script (model-server.ts). The agent does not answer by itself. */
  async ask(script: Readonly<Record<'steps' | 'calls' | 'delayMs', number>>): Promise<string> {
    const { api, projectId, channelId } = this.skein;
    const who = randomBytes(6).toString('hex');
    const body = Object.entries(script)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ');
    const message = { projectId, externalParticipantRef: who, body };
    return (await api.post<Message>(`/channels/${channelId}/inbound-messages`, message, who)).threadId;
  }

  /** Starts a run on the thread. Gives its id. */
  async run(threadId: string): Promise<string> {
    const { api, projectId } = this.skein;
    const path = `/agents/${this.#agentId}/runs`;
    return (await api.post<{ agentRunId: string }>(path, { projectId, threadId })).agentRunId;
  }

  /** Resolves when the run has ended. */
  async end(agentRunId: string): Promise<void> {
    const { api, projectId } = this.skein;
    for (;;) {
      const path = `/agent-runs/${agentRunId}?projectId=${projectId}`;
      const { status } = await api.get<{ status: string }>(path);
      if (['succeeded', 'failed', 'cancelled'].includes(status)) return;
      await pause(pollMs);
    }
  }
}

async function makeAgent({ api, accessToken, server, projectId }: Skein, url: string): Promise<string> {
  const studio = new Api(server.url, accessToken);
  const provider = 'llm_provider_1';
  await studio.post('/byok-credentials', { projectId, provider, displayName: 'Bench', secret: 'bench-key' });
  const toolIds: string[] = [];
  for (const name of ['once', 'twice']) {
    const tool = { projectId, name, url, retryMaxAttempts: toolIds.length + 1, timeoutMs: 2_000 };
    toolIds.push((await api.post<{ toolId: string }>('/tools', tool)).toolId);
  }
  const loom = { projectId, name: 'Bench', systemPrompt: 'Follow the script.', toolIds, provider };
  const { loomId } = await api.post<{ loomId: string }>('/looms', { ...loom, model: 'bench' });
  const agent = { projectId, name: 'Bench', mode: 'auto', loomId };
  return (await api.post<{ agentId: string }>('/agents', agent)).agentId;
}

/** Does the work for each item, so many at once. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const worker = async (): Promise<void> => {
    for (const [i, item] of rest) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
