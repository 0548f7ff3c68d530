/** The formulas of docs/operate/capacity.md ("How much you need"). A pure function: `test/gateway/sizing` holds it to that page. */
import { figures } from './figures.ts';

export interface Load {
  /** In and out, in the busiest hour. */
  readonly messagesPerSecond: number;
  /** In and out, in a day: a tenth of them in the busiest hour, unless the two are given apart. */
  readonly messagesPerDay: number;
  /** Of each message: stitches that want it. */
  readonly webhooks: number;
  readonly runsPerSecond: number;
  /** In memory: those with something to do within ten minutes. */
  readonly threads: number;
  readonly sockets: number;
  /** How long messages have been coming: they are kept for good. */
  readonly days: number;
}

/** What there is. */
export interface Machines {
  /** Of PostgreSQL. */
  readonly processors: number;
  readonly connections: number;
  /** Gigabytes for PostgreSQL's data. */
  readonly disk?: number | undefined;
}

/** How much of something is used: 1 is all of it. */
export interface Share {
  readonly of: string;
  readonly used: number;
}

export interface Estimate {
  /** Processors of the main threads of all nodes together. */
  readonly mainThreads: number;
  readonly nodes: number;
  readonly nodeProcessors: number;
  readonly databaseProcessors: number;
  readonly natsProcessors: number;
  readonly connections: number;
  /** Bytes: in the memory of one node; on disk for good, a day more; of what is kept 30 days, and a day; of the write-ahead log a day. */
  readonly nodeMemory: number;
  readonly foreverADay: number;
  readonly keptMonth: number;
  readonly keptDay: number;
  readonly logADay: number;
  /** Bytes of data after the given days. */
  readonly disk: number;
  /** The fullest first: what ends first as the load grows. */
  readonly shares: readonly Share[];
}

export function estimate(load: Load, machines: Machines): Estimate {
  const { messagesPerSecond, messagesPerDay, webhooks, runsPerSecond, threads, sockets, days } = load;
  const f = figures;
  const processors = (perMessage: number, perWebhook: number, perRun = 0): number =>
    (f.reserve * (messagesPerSecond * (perMessage + perWebhook * webhooks) + runsPerSecond * perRun)) / 1e6;

  const mainThreads = processors(f.nodeMicros, f.webhookMainMicros, f.runMicros);
  const nodes = Math.max(f.clusterNodes, Math.ceil(mainThreads) + 1);
  const databaseProcessors = processors(f.databaseMicros, f.webhookDatabaseMicros);
  const connections = nodes * f.nodeConnections + f.migrationConnections;
  const foreverADay = messagesPerDay * (f.messageBytes + f.wordBytes);
  const keptADay = messagesPerDay * (f.eventBytes + f.webhookBytes * webhooks);
  const keptDay = messagesPerDay * f.keyBytes;
  const disk = foreverADay * days + keptADay * Math.min(days, f.keptDays) + keptDay;
  const shares = [
    { of: 'the main threads of the nodes', used: mainThreads / nodes },
    { of: "PostgreSQL's processors", used: databaseProcessors / machines.processors },
    { of: "PostgreSQL's connections", used: connections / machines.connections },
    { of: 'threads in the memory of the nodes', used: threads / (nodes * f.nodeThreads) },
    ...(machines.disk === undefined ? [] : [{ of: "PostgreSQL's disk", used: disk / (machines.disk * 1e9) }]),
  ];
  return {
    mainThreads,
    nodes,
    nodeProcessors: processors(f.nodeMicros, f.webhookMicros, f.runMicros),
    databaseProcessors,
    natsProcessors: processors(f.natsMicros, 0),
    connections,
    nodeMemory: f.nodeBytes + f.threadBytes * threads + f.socketBytes * sockets,
    foreverADay,
    keptMonth: keptADay * f.keptDays,
    keptDay,
    logADay: messagesPerDay * (webhooks > 0 ? f.sparseLogBytes : f.logBytes),
    disk,
    shares: shares.sort((a, b) => b.used - a.used),
  };
}
