/**
 * What the Console stream costs beside a bare uWebSockets.js publish of the same frames, and what an idle socket costs beside
 * `ws`. Server and clients are processes of their own on 127.0.0.1; CPU and memory are the kernel's numbers for the
 * server's process. Targets: at most 1.5 times the CPU of bare publish, at most 4 KiB per idle socket.
 */
import { Child } from '../support/child.ts';
import { cpuSeconds, residentBytes } from '../support/process-usage.ts';
import { count, fixed, table, times } from '../support/table.ts';
import { compare, middle, quick, show, takeTurns } from '../support/turns.ts';
import { path, type ClientTask, type ServerTask } from './protocol.ts';

type ServerName = 'skein' | 'bare-uws' | 'ws';

const sockets = quick(2_000, 100);
const idleSockets = quick(10_000, 200);
const perSecond = 20;
const rounds = quick(3, 1);
/** All sockets have a heartbeat within it. */
const measuredMs = quick(15_000, 500);
/** Heartbeats begin 16 seconds after the resume: the measured time includes every socket's first. */
const beforeHeartbeatsMs = quick(11_000, 100);

interface Pair {
  readonly server: Child;
  connect(sockets: number): Promise<void>;
  publish(forMs: number): Promise<number>;
  /** Events that have arrived, and sockets that were closed. */
  count(expected: number): Promise<{ readonly events: number; readonly lost: number }>;
  /** The resident memory of the server once garbage is collected. */
  settle(): Promise<number>;
}

/** Gives a server and its clients to the work, and ends them with it. */
async function withServer<T>(name: ServerName, work: (pair: Pair) => Promise<T>): Promise<T> {
  const server = new Child(new URL(`./servers/${name}.ts`, import.meta.url), { options: ['--expose-gc'] });
  const clients = new Child(new URL('./clients.ts', import.meta.url));
  try {
    const url = `ws://127.0.0.1:${await server.hear<number>()}${path}`;
    const order = <R>(task: ServerTask): Promise<R> => server.ask(task);
    const ask = <R>(task: ClientTask): Promise<R> => clients.ask(task);
    return await work({
      server,
      connect: sockets => ask({ do: 'connect', url, sockets, resume: name === 'skein' }),
      publish: forMs => order({ do: 'publish', perSecond, forMs }),
      count: expected => ask({ do: 'count', expected }),
      async settle() {
        await order({ do: 'settle' });
        return residentBytes(server.pid);
      },
    });
  } finally {
    await clients.stop();
    await server.stop();
  }
}

const sample = (name: ServerName): Promise<{ readonly micros: number; readonly arrived: number }> =>
  withServer(name, async ({ server, connect, publish, count }) => {
    await connect(sockets);
    await count((await publish(beforeHeartbeatsMs)) * sockets);
    const before = cpuSeconds(server.pid);
    const frames = (await publish(measuredMs)) * sockets;
    const { events, lost } = await count(frames);
    if (lost > 0) throw new Error(`${name}: ${lost} sockets were closed`);
    return { micros: ((cpuSeconds(server.pid) - before) * 1e6) / frames, arrived: (100 * events) / frames };
  });

/** KiB for each socket: the growth from `sockets` to `idleSockets`, so that the process itself does not count. */
const measureIdle = (name: ServerName): Promise<number> =>
  withServer(name, async ({ connect, settle }) => {
    await connect(sockets);
    const before = await settle();
    await connect(idleSockets - sockets);
    return ((await settle()) - before) / (idleSockets - sockets) / 1_024;
  });

export async function run(): Promise<void> {
  const systems = [{ name: 'bare-uws' }, { name: 'skein' }] as const;
  const samples = await takeTurns(systems, rounds, ({ name }) => sample(name));
  console.log(`\n${count(sockets)} sockets, ${perSecond} events a second, heartbeats included\n`);
  const columns = {
    'server µs a frame': show('micros', value => fixed(value, 2)),
    'against bare': (
      of: readonly { readonly micros: number }[],
      first: readonly { readonly micros: number }[],
    ) => times(middle(of, 'micros') / middle(first, 'micros')),
    'frames arrived, %': show('arrived', fixed),
  };
  console.log(compare(samples, columns));
  console.log(`\nMemory of an idle socket, between ${count(sockets)} and ${count(idleSockets)} sockets\n`);
  const rows: string[][] = [];
  for (const name of ['skein', 'bare-uws', 'ws'] as const) {
    rows.push([name, fixed(await measureIdle(name), 2)]);
  }
  console.log(table(['', 'KiB a socket'], rows));
}
