/**
 * What alerts are tried on: three nodes, PostgreSQL, a nats-server, and everything that the nodes call: a receiver of webhooks, a model, a
 * chat provider and a mail server. All of it is used a little, all the time.
 *
 * The nodes maintain the database every second, in the place of every minute: what they measure then is as fresh as the alerts are fast.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Agent } from '../../protocol/resources/agent.ts';
import type { Loom } from '../../protocol/resources/loom.ts';
import type { Load } from '../../test/cluster/support/load.ts';
import { Client, Line } from '../../test/node/client.ts';
import { newStitch, type Tenant } from '../../test/node/tenant.ts';
import { ChatappProvider } from '../../test/support/chatapp-provider/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { NodeProcess } from '../../test/support/node-process.ts';
import { Receiver } from '../../test/support/receiver.ts';
import { ClusterSetup } from '../cluster/cluster-setup.ts';
import { Endings } from '../support/endings.ts';
import { Chat } from './chat.ts';
import { MailServer } from './mail-server.ts';
import { answersWell } from './model.ts';

const quickSweeps = fileURLToPath(new URL('../../test/cluster/support/quick-sweeps.ts', import.meta.url));

const timeoutMs = 1_500;
const load = { senders: 4, pauseMs: 400, timeoutMs };
/** Between two runs of the agent, two messages to the chat provider, and two mails. */
const everyMs = 1_000;

/** Here one tenant asks for more than it may, but for the messages of its project: their bucket is asked for as usual. */
const raised = [
  'authAddress',
  'authAddressEmail',
  'authEmail',
  'read',
  'readProject',
  'write',
  'writeProject',
  'invitations',
  'invitationsUser',
  'messageThread',
  'run',
  'runProject',
];
const rateLimits = JSON.stringify(
  Object.fromEntries(raised.map(name => [name, { limit: 100_000, windowSeconds: 60 }])),
);

interface Servers {
  readonly model: Receiver;
  readonly receiver: Receiver;
  readonly provider: ChatappProvider;
  readonly mail: MailServer;
}

export class AlertStage {
  readonly cluster: ClusterSetup['cluster'];
  readonly tenant: Tenant;
  readonly servers: Servers;
  /** SECRET_KEYS of all nodes. */
  readonly secretKeys: string;
  readonly chat: Chat;
  readonly #endings: Endings;
  readonly #agentId: string;
  /** To each of the nodes that there were in the beginning, by the API key and as the person. */
  readonly #clients: readonly { readonly key: Client; readonly person: Client }[];
  #turn = 0;
  #isStopped = false;

  private constructor(
    setup: Pick<ClusterSetup, 'cluster' | 'tenant'>,
    {
      endings,
      servers,
      secretKeys,
    }: Pick<AlertStage, 'servers' | 'secretKeys'> & { readonly endings: Endings },
    { chat, agentId }: Pick<AlertStage, 'chat'> & { readonly agentId: string },
  ) {
    this.#endings = endings;
    this.cluster = setup.cluster;
    this.tenant = setup.tenant;
    this.servers = servers;
    this.secretKeys = secretKeys;
    this.chat = chat;
    this.#agentId = agentId;
    this.#clients = this.cluster.running.map(({ url }) => {
      const line = new Line(url, endings);
      return {
        key: new Client(line, this.tenant.key.bearer),
        person: new Client(line, this.tenant.person.bearer),
      };
    });
  }

  /** Gives it to the benchmark, at work, and ends it with it. */
  static async with(perform: (stage: AlertStage) => Promise<void>): Promise<void> {
    const endings = new Endings();
    try {
      const servers = await startServers(endings);
      const secretKeys = createKey('old');
      const environment = {
        LOG_LEVEL: 'info',
        SECRET_KEYS: secretKeys,
        RATE_LIMITS: rateLimits,
        LLM_PROVIDER_1_URL: servers.model.url('/v1'),
        CHATAPP_GRAPH_URL: servers.provider.url,
        SMTP_URL: servers.mail.url,
      };
      await ClusterSetup.with(
        async setup => {
          const { cluster, tenant } = setup;
          await cluster.query('update users set email_verified_at = now()');
          await newStitch(tenant, servers.receiver.url('/webhooks'));
          const chat = await Chat.open(servers.provider, tenant);
          const agentId = await makeAgent(tenant);
          const stage = new AlertStage(setup, { endings, servers, secretKeys }, { chat, agentId });
          await stage.#work(() => setup.load(load), perform);
        },
        { main: quickSweeps, environment },
      );
    } finally {
      await endings.end();
    }
  }

  get nodeUrls(): readonly string[] {
    return this.cluster.running.map(({ url }) => url);
  }

  /** Starts a node again that has ended. */
  restart(node: NodeProcess): Promise<void> {
    return node.start(quickSweeps);
  }

  /** A further node, in whose environment this is different. */
  addNode(environment: Readonly<Record<string, string>>): Promise<NodeProcess> {
    return this.cluster.add(environment, quickSweeps);
  }

  /** To a node, by the tenant's API key. */
  createClient({ url }: Pick<NodeProcess, 'url'>): Client {
    return new Client(new Line(url, this.#endings), this.tenant.key.bearer);
  }

  /** One more stitch for everything, with its receiver. `end`: both are gone. */
  async openStitch(): Promise<{ readonly receiver: Receiver; readonly end: () => Promise<void> }> {
    const receiver = await Receiver.start();
    const { stitchId } = await newStitch(this.tenant, receiver.url('/webhooks'));
    const end = async (): Promise<void> => {
      await this.archiveStitch(stitchId);
      await receiver.stop();
    };
    return { receiver, end };
  }

  async archiveStitch(stitchId: string): Promise<void> {
    const { status, text } = await this.tenant.key.ask('archiveStitch', { params: { stitchId } });
    if (status !== 204) throw new Error(`archiveStitch answered ${status} ${text}`);
  }

  /** Resolves when every node serves and has its shards. */
  async isWell(): Promise<void> {
    await this.cluster.balanced();
    await eventually('readiness of every node', async () => {
      const answers = await Promise.all(this.nodeUrls.map(url => fetch(`${url}/readyz`)));
      return answers.every(({ ok }) => ok);
    });
  }

  /** Everything is used once before it is used all the time: what does not work in the beginning is no fault of the benchmark's making. */
  async #work(startLoad: () => Load, perform: (stage: AlertStage) => Promise<void>): Promise<void> {
    const tasks = [() => this.#runAgent(), () => this.#sendChat(), () => this.#invite()];
    for (const task of tasks) await task();
    const { mail, model, provider } = this.servers;
    await eventually('mail, question to the model and message at the chat provider', () =>
      Promise.resolve(mail.hasTaken && model.received.length > 0 && provider.messages.sent.length > 0),
    );
    const senders = startLoad();
    const repeated = Promise.all(tasks.map(task => this.#repeat(task)));
    try {
      await perform(this);
    } finally {
      this.#isStopped = true;
      await repeated;
      await senders.stop();
    }
  }

  async #repeat(task: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      // Nobody has to get an answer during a fault.
      await task().catch(() => undefined);
      await pause(everyMs);
    }
  }

  #next(): { readonly key: Client; readonly person: Client } {
    const next = this.#clients[this.#turn++ % this.#clients.length];
    if (next === undefined) throw new Error('the cluster has no nodes');
    return next;
  }

  /** Somebody writes, and the agent is sent there. */
  async #runAgent(): Promise<void> {
    const { projectId, channelId } = this.tenant;
    const { key } = this.#next();
    const externalParticipantRef = `caller ${randomBytes(6).toString('hex')}`;
    const { threadId } = await key.get<{ threadId: string }>('createInboundMessage', {
      params: { channelId },
      body: { projectId, externalParticipantRef, body: 'Is anybody there?' },
      timeoutMs,
    });
    const params = { agentId: this.#agentId };
    await key.get('createAgentRun', { params, body: { projectId, threadId }, timeoutMs });
  }

  #sendChat(): Promise<void> {
    return this.chat.send(this.#next().key, timeoutMs);
  }

  async #invite(): Promise<void> {
    const { workspaceId } = this.tenant;
    const body = { email: `guest-${randomBytes(6).toString('hex')}@example.com` };
    await this.#next().person.get('createInvitation', { params: { workspaceId }, body, timeoutMs });
  }
}

/** A key by that name, as SECRET_KEYS has them. */
export function createKey(name: string): string {
  return `${name}:${randomBytes(32).toString('base64')}`;
}

async function makeAgent({ key, person, projectId }: Tenant): Promise<string> {
  const provider = 'llm_provider_1';
  await person.get('createByokCredential', {
    body: { projectId, provider, displayName: 'Key', secret: 'sk-of-the-benchmark-0123456789' },
  });
  const { loomId } = await key.get<Loom>('createLoom', {
    body: { projectId, name: 'Desk', systemPrompt: 'You answer.', provider, model: 'gpt-4o-mini' },
  });
  const body = { projectId, name: 'Desk', mode: 'auto', loomId };
  return (await key.get<Agent>('createAgent', { body })).agentId;
}

async function startServers(endings: Endings): Promise<Servers> {
  const [model, receiver, provider, mail] = await Promise.all([
    Receiver.start(),
    Receiver.start(),
    ChatappProvider.start(),
    MailServer.start(),
  ]);
  for (const server of [model, receiver, provider]) endings.teardown(() => server.stop());
  endings.teardown(() => mail.goDown());
  model.behaviour = answersWell;
  return { model, receiver, provider, mail };
}
