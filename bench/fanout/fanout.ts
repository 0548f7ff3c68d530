/**
 * What the Console stream costs beside a bare uWebSockets.js publish of the same frames, and what an idle socket costs beside
 * `ws`. Server and clients are processes of their own on 127.0.0.1; CPU and memory are the kernel's numbers for the
 * server's process. The systems take turns in one run and medians are compared, so that a slow minute hits both.
 */
import { cpuSeconds } from '../support/process-usage.ts';
import { count, fixed, median, table, times } from '../support/table.ts';
import { Clients, Server, type ServerName } from './processes.ts';

export interface FanoutOptions {
  /** Default 2,000. */
  readonly sockets?: number;
  /** Events per second. Default 20. */
  readonly perSecond?: number;
  /** Default 3. */
  readonly rounds?: number;
  /** Milliseconds of each round. Default 15,000: all sockets have a heartbeat within it. */
  readonly measuredMs?: number;
}

export interface FanoutSample {
  readonly name: ServerName;
  readonly cpuSeconds: number;
  readonly events: number;
  /** Frames that arrived, of `events` times the sockets. */
  readonly received: number;
  readonly sockets: number;
}

/** Heartbeats begin 16 seconds after the resume: the measured time includes every socket's first. */
const beforeHeartbeatsMs = 11_000;

async function sample(name: ServerName, options: Required<FanoutOptions>): Promise<FanoutSample> {
  const { sockets, perSecond, measuredMs } = options;
  const server = await Server.start(name);
  const clients = new Clients();
  try {
    await clients.connect(server.url, sockets, name === 'skein');
    const warm = await server.publish(perSecond, beforeHeartbeatsMs);
    await clients.count(warm * sockets);
    const before = cpuSeconds(server.pid);
    const events = await server.publish(perSecond, measuredMs);
    const { events: received, lost } = await clients.count(events * sockets);
    if (lost > 0) throw new Error(`${name}: ${lost} sockets were closed`);
    return { name, cpuSeconds: cpuSeconds(server.pid) - before, events, received, sockets };
  } finally {
    await clients.stop();
    await server.stop();
  }
}

/** Runs bare publish and Skein in turns. */
export async function measureFanout(options: FanoutOptions = {}): Promise<FanoutSample[]> {
  const { sockets = 2_000, perSecond = 20, rounds = 3, measuredMs = 15_000 } = options;
  const all = { sockets, perSecond, rounds, measuredMs };
  const samples: FanoutSample[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const name of ['bare-uws', 'skein'] as const) samples.push(await sample(name, all));
  }
  return samples;
}

export interface IdleMemory {
  readonly name: ServerName;
  readonly sockets: number;
  /** Resident bytes per socket beyond those of the process with the first `base` sockets. */
  readonly bytesPerSocket: number;
}

/** Bytes per idle socket: the growth from `base` to `sockets`, so that the process itself does not count. */
export async function measureIdle(name: ServerName, base = 2_000, sockets = 10_000): Promise<IdleMemory> {
  const server = await Server.start(name);
  const clients = new Clients();
  try {
    await clients.connect(server.url, base, name === 'skein');
    const before = await server.settledBytes();
    await clients.connect(server.url, sockets - base, name === 'skein');
    const after = await server.settledBytes();
    return { name, sockets, bytesPerSocket: (after - before) / (sockets - base) };
  } finally {
    await clients.stop();
    await server.stop();
  }
}

/** Measures and prints. Targets: at most 1.5 times the CPU of bare publish, at most 4 KiB per idle socket. */
export async function benchFanout(): Promise<void> {
  const samples = await measureFanout();
  const [first] = samples;
  if (first === undefined) return;
  const micros = (name: ServerName): number =>
    median(samples.filter(s => s.name === name).map(s => (s.cpuSeconds * 1e6) / (s.events * s.sockets)));
  const arrived = (name: ServerName): string => {
    const claimFolder = samples.filter(s => s.name === name);
    const due = claimFolder.reduce((sum, s) => sum + s.events * s.sockets, 0);
    const received = claimFolder.reduce((sum, s) => sum + s.received, 0);
    return `${count(received)} of ${count(due)}`;
  };
  const bare = micros('bare-uws');
  console.log(`\n${count(first.sockets)} sockets, 20 events a second, heartbeats included\n`);
  console.log(
    table(
      ['', 'server µs a frame', 'against bare', 'frames arrived'],
      (['bare-uws', 'skein'] as const).map(name => [
        name,
        fixed(micros(name), 2),
        times(micros(name) / bare),
        arrived(name),
      ]),
    ),
  );
  console.log('\nMemory of an idle socket, between 2,000 and 10,000 sockets\n');
  const idle: IdleMemory[] = [];
  for (const name of ['skein', 'bare-uws', 'ws'] as const) idle.push(await measureIdle(name));
  console.log(
    table(
      ['', 'KiB a socket'],
      idle.map(({ name, bytesPerSocket }) => [name, fixed(bytesPerSocket / 1_024, 2)]),
    ),
  );
}
