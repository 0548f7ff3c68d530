/** A report of a node that is well. */
import type { NodeReport } from '../../../gateway/system/node-report.ts';

type Changes = Partial<Omit<NodeReport, 'node' | 'increases' | 'held'>> & {
  readonly node?: Partial<NodeReport['node']>;
  readonly increases?: Partial<NodeReport['increases']>;
  readonly held?: Partial<NodeReport['held']>;
};

export function createReport(nodeId: string, changes: Changes = {}): NodeReport {
  const { node, increases, held, ...others } = changes;
  return {
    format: 1,
    nodeId,
    node: {
      status: 'ok',
      failedChecks: [],
      startedAt: '2026-01-01T00:00:00.000Z',
      leasedMs: 2_000,
      memoryBytes: 200_000_000,
      eventLoopP99Seconds: 0.011,
      clockAheadSeconds: 0,
      shards: 128,
      actors: 10,
      commands: 0,
      deepestMailbox: 0,
      tasksRunning: 0,
      tasksWaiting: 0,
      remindersInFlight: 0,
      asksOutgoing: 0,
      commits: 100,
      commitP99Ms: 8,
      commitsRefused: 0,
      overloaded: 0,
      deadLetters: 0,
      defects: 0,
      pools: [],
      ...node,
    },
    increases: {
      commits: 100,
      commitsRefused: 0,
      storageRefused: 0,
      overloaded: 0,
      deadLetters: 0,
      defects: 0,
      sweepFailures: 0,
      leaseExpiries: 0,
      membersExpired: 0,
      quotaUnanswered: 0,
      answers: 0,
      serverErrors: 0,
      modelSteps: 0,
      modelFailures: 0,
      chatappCalls: 0,
      chatappFailures: 0,
      mailAttempts: 0,
      mailFailures: 0,
      secretsUnreadable: 0,
      ...increases,
    },
    held: { eventLoopP99Seconds: 0.01, waiting: 0, vacantShards: 0, ...held },
    webhookDelayMs: [],
    refusals: [],
    oldestDeliverySeconds: null,
    tokenExpirySeconds: null,
    stitches: [],
    actors: [],
    moving: [],
    ...others,
  };
}
