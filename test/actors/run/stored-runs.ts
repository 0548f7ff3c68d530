/** Threads and their runs on a node with a real database. Models, tools and plans are fakes. */
import type { Test } from 'tap';
import { createCurrentAgents } from '../../../actors/run/current-agents.ts';
import { createRuns } from '../../../actors/run/kind.ts';
import type { Plan, RunServices } from '../../../actors/run/services.ts';
import { runSnapshot } from '../../../actors/run/snapshot.ts';
import type { OpenedRun } from '../../../actors/thread/commands.ts';
import { createThreadKind } from '../../../actors/thread/kind.ts';
import { threadSnapshot } from '../../../actors/thread/snapshot.ts';
import { newId } from '../../../protocol/ids.ts';
import { silentLog as log } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { Node } from '../../../runtime/node/node.ts';
import { systemClock as clock, systemRandom as random } from '../../../runtime/time/clock.ts';
import { LocalTransport } from '../../../runtime/transport/local.ts';
import { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { CommitNotifier } from '../../../storage/events/commit-notifier.ts';
import { agentRows } from './agent-rows.ts';
import { head, outcome, tenancy } from './run-harness.ts';

/** Starts a node in whose environment the agent of `head` is at work; it ends with the test. */
export async function startStoredRuns(
  t: Test,
  database: Database,
  services: Pick<RunServices, 'models'> & Partial<RunServices>,
): Promise<Node> {
  await database.query(`insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e')`, [
    tenancy.projectId,
  ]);
  await agentRows(database).agent(tenancy, head);
  const runs = createRuns({
    clock,
    random,
    log,
    show: () => undefined,
    plans: { createPlan: () => Promise.resolve({ tools: [] } as unknown as Plan) },
    budgets: { exceeded: () => Promise.resolve(undefined) },
    agents: createCurrentAgents({ db: database, clock, limits: defaultLimits }),
    tools: { call: ({ callId }) => Promise.resolve(outcome(callId, 'succeeded')) },
    ...services,
  });
  const snapshots = [threadSnapshot, runSnapshot];
  const store = new PostgresStore({ database, snapshots, notifier: new CommitNotifier(), log });
  const transport = new LocalTransport({ clock, log });
  const node = new Node({
    kinds: [createThreadKind({ db: database, log }), runs.kind],
    store,
    transport,
    clock,
    random,
    log,
    metrics: new Metrics(),
  });
  await node.start();
  t.teardown(async () => {
    runs.drain();
    await node.drain();
    await transport.drain();
    await store.close();
  });
  return node;
}

/** A new thread with a question, and a run of the agent that was requested for it. */
export async function askAgent(
  node: Node,
): Promise<OpenedRun & { readonly threadId: string; readonly messageId: string }> {
  const thread = { kind: 'thread', id: newId('thread') };
  const author = { type: 'api_key', id: newId('apiKey') };
  const message = { messageId: newId('message'), body: 'Where is it?', attachments: [], metadata: {} };
  const channel = { channelId: newId('channel'), kind: 'custom' };
  await node.ask(thread, 'create', { ...tenancy, channel, externalRef: null, metadata: {}, author });
  await node.ask(thread, 'receive', { ...tenancy, message });
  const order = {
    ...tenancy,
    trigger: 'request',
    inputMessageId: message.messageId,
    head,
    metadata: { ours: true },
    author,
  };
  const opened = await node.ask<OpenedRun>(thread, 'openRun', order);
  await node.ask({ kind: 'run', id: opened.agentRunId }, 'begin', opened.begin);
  return { ...opened, threadId: thread.id, messageId: message.messageId };
}
