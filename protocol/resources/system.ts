/** The whole service, as its operators see it: numbers and ids of all nodes, and nothing that a tenant has written. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { choice, id, instant, nullable, resource } from './fields.ts';

/** The alerts of deploy/prometheus/rules.yaml, by their names. */
export const systemFaultNames = [
  'SkeinDown',
  'SkeinNotReady',
  'SkeinErrors',
  'SkeinCommitsSlow',
  'SkeinCommitsRefused',
  'SkeinStorageFull',
  'SkeinNodeBusy',
  'SkeinOverloaded',
  'SkeinDeadLetters',
  'SkeinDefects',
  'SkeinMaintenanceFails',
  'SkeinNodesCutOff',
  'SkeinClockOff',
  'SkeinShardsVacant',
  'SkeinQuotasAlone',
  'SkeinWebhooksLate',
  'SkeinPoolsFull',
  'SkeinModelsFail',
  'SkeinChatappFails',
  'SkeinTokensExpire',
  'SkeinSnapshotOld',
  'SkeinMailsFail',
  'SkeinSecretsUnreadable',
] as const;
export type SystemFaultName = (typeof systemFaultNames)[number];

/** As of the alerts: one wakes somebody, the other can wait for the morning. */
export const systemFaultSeverities = ['page', 'ticket'] as const;

/** `standalone`: the node is part of no cluster. */
export const systemNodeStates = ['joining', 'settled', 'draining', 'standalone'] as const;

export const systemShardStates = ['vacant', 'claiming', 'taking', 'handing over', 'leaving'] as const;

const count = () => Type.Integer({ minimum: 0 });
const measure = () => Type.Number({ minimum: 0 });
/** Items of each list at most. */
export const maxSystemItems = 20;
const short = <S extends Parameters<typeof Type.Array>[0]>(items: S) =>
  Type.Array(items, { maxItems: maxSystemItems });

export const SystemFault = resource('SystemFault', {
  name: choice(systemFaultNames),
  severity: choice(systemFaultSeverities),
  /** Empty: of the service as a whole. */
  nodeIds: Type.Array(Type.String()),
  /** Null where it is no number that is wrong. */
  value: nullable(Type.Number()),
  limit: nullable(Type.Number()),
});
export type SystemFault = Static<typeof SystemFault>;

export const SystemPool = resource('SystemPool', {
  name: Type.String(),
  busy: count(),
  waiting: count(),
});

/** What a node says of itself. */
export const SystemNodeReport = resource('SystemNodeReport', {
  status: choice(['ok', 'starting', 'draining', 'failed']),
  failedChecks: Type.Array(Type.String()),
  startedAt: instant(),
  leasedMs: nullable(count()),
  memoryBytes: count(),
  eventLoopP99Seconds: measure(),
  clockAheadSeconds: Type.Number(),
  shards: count(),
  actors: count(),
  commands: count(),
  deepestMailbox: count(),
  tasksRunning: count(),
  tasksWaiting: count(),
  remindersInFlight: count(),
  asksOutgoing: count(),
  commits: count(),
  commitP99Ms: nullable(measure()),
  commitsRefused: count(),
  overloaded: count(),
  deadLetters: count(),
  defects: count(),
  pools: Type.Array(SystemPool),
});
export type SystemNodeReport = Static<typeof SystemNodeReport>;

export const SystemNode = resource('SystemNode', {
  nodeId: Type.String(),
  state: choice(systemNodeStates),
  release: Type.String(),
  joinedAt: nullable(instant()),
  lastSeenMs: nullable(count()),
  report: nullable(SystemNodeReport),
});
export type SystemNode = Static<typeof SystemNode>;

export const SystemShard = resource('SystemShard', {
  shard: count(),
  state: choice(systemShardStates),
  /** Of the node that says so. */
  nodeId: Type.String(),
  ownerNodeId: nullable(Type.String()),
  desiredNodeId: nullable(Type.String()),
});
export type SystemShard = Static<typeof SystemShard>;

export const SystemMove = resource('SystemMove', {
  cause: choice(['takeover', 'handover']),
  fromNodeId: nullable(Type.String()),
  toNodeId: Type.String(),
  shards: count(),
  at: instant(),
});
export type SystemMove = Static<typeof SystemMove>;

export const SystemShards = resource('SystemShards', {
  count: count(),
  vacant: count(),
  moving: short(SystemShard),
  moves: short(SystemMove),
});

export const SystemStitch = resource('SystemStitch', {
  stitchId: id('stitch'),
  projectId: id('project'),
  environmentId: id('environment'),
  status: choice(['active', 'disabled', 'error']),
  lagEvents: count(),
});
export type SystemStitch = Static<typeof SystemStitch>;

export const SystemActor = resource('SystemActor', {
  kind: Type.String(),
  actorId: Type.String(),
  nodeId: Type.String(),
  commands: count(),
  committingMs: nullable(count()),
});
export type SystemActor = Static<typeof SystemActor>;

export const SystemRefusals = resource('SystemRefusals', {
  reason: Type.String(),
  recent: count(),
  total: count(),
});
export type SystemRefusals = Static<typeof SystemRefusals>;

export const SystemDeadLetter = resource('SystemDeadLetter', {
  deadLetterId: Type.String(),
  kind: Type.String(),
  actorId: Type.String(),
  name: Type.String(),
  errorCode: nullable(Type.String()),
  attempts: count(),
  createdAt: instant(),
});
export type SystemDeadLetter = Static<typeof SystemDeadLetter>;

export const SystemDeadLetters = resource('SystemDeadLetters', {
  count: count(),
  more: Type.Boolean(),
  newest: short(SystemDeadLetter),
});

export const SystemDatabase = resource('SystemDatabase', {
  version: Type.String(),
  connections: count(),
  maxConnections: count(),
  waitingForLocks: count(),
  longestTransactionSeconds: nullable(Type.Number()),
  roundTripMs: count(),
});

export const SystemNats = resource('SystemNats', {
  connected: Type.Boolean(),
});

export const System = resource('System', {
  at: instant(),
  nodeId: Type.String(),
  faults: Type.Array(SystemFault),
  nodes: Type.Array(SystemNode),
  shards: SystemShards,
  stitches: short(SystemStitch),
  oldestDeliverySeconds: nullable(measure()),
  actors: short(SystemActor),
  commitRefusals: Type.Array(SystemRefusals),
  deadLetters: SystemDeadLetters,
  database: SystemDatabase,
  nats: nullable(SystemNats),
});
export type System = Static<typeof System>;
