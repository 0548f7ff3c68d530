/** The faults that are made, one after the other, by the names that they have in the list of docs/operate/runbook.md. */
import { wrongBy } from '../../test/cluster/support/skewed-clock.ts';
import { newStitch } from '../../test/node/tenant.ts';
import type { NodeProcess } from '../../test/support/node-process.ts';
import { answer, Receiver, silence } from '../../test/support/receiver.ts';
import { answersWell } from './model.ts';
import type { Prometheus } from './prometheus.ts';
import { type AlertStage, createKey } from './stage.ts';

export interface Fault {
  /** As the runbook has it. */
  readonly name: string;
  /** How long it lasts, in minutes of the rules. */
  readonly minutes: number;
  /** PromQL: greater than 0 while the fault has an effect. For a fault that no alert shows. */
  readonly proof?: string;
  /** Begins it. Resolves with what ends it. */
  readonly begin: (stage: AlertStage, prometheus: Prometheus) => Promise<() => Promise<void>>;
}

const clockWrongMs = 120_000;
/** Long before the benchmark ends, and long enough to be connected by. */
const tokenMs = 15_000;
const stitchesUnderNewKey = 8;
/** An alert over ten minutes that has to hold for ten: its condition has to come within five, since half of what it looks at decides. */
const slowMinutes = 18;
/** What SkeinWebhooksLate took where it fired for such a receiver. */
const receiverMinutes = 21;

/** All nodes are the same: the last, so that whoever asks the first one gets an answer. */
function pickVictim({ cluster }: AlertStage): NodeProcess {
  const victim = cluster.running.at(-1);
  if (victim === undefined) throw new Error('no node runs');
  return victim;
}

/** What the model answers from now on, by a status and a code of the provider. */
function refuse(status: number, code: string): Fault['begin'] {
  return ({ servers: { model } }) => {
    const body = JSON.stringify({ error: { message: 'not now', type: code, code } });
    model.behaviour = answer(status, { 'content-type': 'application/json' }, body);
    return Promise.resolve(() => {
      model.behaviour = answersWell;
      return Promise.resolve();
    });
  };
}

/** Some of these belong to each of the other nodes, which have to sign what they send. */
async function openStitches(stage: AlertStage, node: NodeProcess, url: string): Promise<readonly string[]> {
  const { projectId } = stage.tenant;
  const key = stage.createClient(node);
  const ids: string[] = [];
  for (let made = 0; made < stitchesUnderNewKey; made++) {
    const { stitchId } = await newStitch({ key, projectId }, url, ['thread.message.received']);
    ids.push(stitchId);
  }
  return ids;
}

export const faults: readonly Fault[] = [
  {
    name: 'A node is killed',
    minutes: 6,
    begin: async stage => {
      const victim = pickVictim(stage);
      await victim.kill();
      return () => stage.restart(victim);
    },
  },
  {
    name: 'A node hangs for minutes (SIGSTOP)',
    minutes: 4,
    begin: stage => {
      const victim = pickVictim(stage);
      victim.pause();
      return Promise.resolve(() => {
        victim.resume();
        return Promise.resolve();
      });
    },
  },
  {
    name: 'PostgreSQL is stopped',
    minutes: 9,
    begin: async ({ cluster: { database } }) => {
      await database.stopServer();
      return () => database.startServer();
    },
  },
  {
    name: 'NATS is stopped',
    minutes: 15,
    begin: async ({ cluster: { nats } }) => {
      await nats.kill();
      return () => nats.restart();
    },
  },
  {
    name: 'The mail server is away',
    minutes: 18,
    begin: async ({ servers: { mail } }) => {
      await mail.goDown();
      return () => mail.comeBack();
    },
  },
  {
    name: 'The chat provider is away',
    minutes: slowMinutes,
    begin: async ({ servers: { provider } }) => {
      await provider.goDown();
      return () => provider.comeBack();
    },
  },
  { name: 'A model provider fails (500)', minutes: slowMinutes, begin: refuse(500, 'server_error') },
  {
    name: 'A model provider refuses for a while (429)',
    minutes: slowMinutes,
    begin: refuse(429, 'rate_limit_exceeded'),
  },
  {
    name: "A tenant's key for models is refused (401)",
    minutes: slowMinutes,
    proof: 'sum(skein_model_steps_total{outcome="key_rejected"})',
    begin: refuse(401, 'invalid_api_key'),
  },
  {
    name: 'A receiver of webhooks never answers',
    minutes: receiverMinutes,
    proof: 'sum(skein_webhook_attempts_total{outcome="timeout"})',
    begin: async stage => {
      const { receiver, end } = await stage.openStitch();
      receiver.behaviour = silence;
      return end;
    },
  },
  {
    name: 'A receiver of webhooks refuses connections',
    minutes: receiverMinutes,
    proof: 'sum(skein_webhook_attempts_total{outcome="connect"})',
    begin: async stage => {
      const { receiver, end } = await stage.openStitch();
      await receiver.stop();
      return end;
    },
  },
  {
    name: 'Nodes lack a key of SECRET_KEYS',
    minutes: 6,
    begin: async stage => {
      // Somebody has begun to rotate keys, and has given the new one to one node alone.
      const node = await stage.addNode({ SECRET_KEYS: `${createKey('new')},${stage.secretKeys}` });
      const receiver = await Receiver.start();
      const stitchIds = await openStitches(stage, node, receiver.url('/webhooks'));
      return async () => {
        for (const id of stitchIds) await stage.archiveStitch(id);
        await receiver.stop();
        await node.kill();
      };
    },
  },
  {
    name: 'The clock of a node is two minutes off',
    minutes: 9,
    begin: async (stage, prometheus) => {
      const right = stage.nodeUrls;
      const node = await stage.addNode(wrongBy(clockWrongMs));
      await prometheus.watch([...right, node.url]);
      return async () => {
        // It is taken out of service as an operator would.
        await prometheus.watch(right);
        await node.kill();
      };
    },
  },
  {
    name: 'The token of a chatapp channel ends',
    minutes: 8,
    begin: async ({ chat }) => {
      await chat.connectUntil(Date.now() + tokenMs);
      return () => Promise.resolve();
    },
  },
];
