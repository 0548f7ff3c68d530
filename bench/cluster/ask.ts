/**
 * An ask of an actor on another node beside a bare NATS request: the same bytes there and back, two processes, one nats-server, one
 * in flight. They take turns, and the medians of the rounds are compared.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'nats';
import { systemClock } from '../../runtime/time/clock.ts';
import { encodeEnvelope } from '../../runtime/transport/wire.ts';
import type { Envelope } from '../../runtime/transport/transport.ts';
import { natsNode } from '../../test/support/nats-node.ts';
import { NatsServer } from '../../test/support/nats-server.ts';
import { Endings } from '../support/endings.ts';
import { fixed, median, table, times } from '../support/table.ts';
import { bareSubject, payload, shard } from './ask-protocol.ts';
import { quantile } from './cluster-setup.ts';

const rounds = 6;
const asksPerRound = 2_000;
const warmup = 1_000;

interface Sample {
  readonly p50: number;
  readonly p99: number;
}

const envelope = (): Envelope => ({
  kind: 'thread',
  id: 'thread_bench',
  command: 'receive',
  payload,
  deadline: systemClock.monotonic() + 10_000,
});

async function sample(request: () => Promise<unknown>, requests: number): Promise<Sample> {
  const micros: number[] = [];
  for (let i = 0; i < requests; i++) {
    const from = performance.now();
    await request();
    micros.push((performance.now() - from) * 1_000);
  }
  return { p50: quantile(micros, 0.5), p99: quantile(micros, 0.99) };
}

async function startAnswerer(endings: Endings, url: string): Promise<void> {
  const child = fork(new URL('./answerer.ts', import.meta.url), {
    env: { ...process.env, NATS_URL: url },
    execPath: process.execPath,
  });
  endings.teardown(async () => {
    if (child.exitCode !== null) return;
    child.disconnect();
    await once(child, 'exit');
  });
  await once(child, 'message');
}

async function measure(endings: Endings): Promise<void> {
  const nats = await NatsServer.of(endings, { jetStream: false });
  await startAnswerer(endings, nats.url);
  const { transport } = await natsNode(endings, nats.url);
  const bare = await connect({ servers: nats.url });
  endings.teardown(() => bare.close());
  const bytes = Buffer.from(encodeEnvelope(envelope(), systemClock.monotonic()));
  const systems = [
    { name: 'bare NATS request', request: () => bare.request(bareSubject, bytes), samples: [] as Sample[] },
    {
      name: 'ask of an actor on another node',
      request: () => transport.ask(shard, envelope()),
      samples: [] as Sample[],
    },
  ];
  for (const { request } of systems) await sample(request, warmup);
  for (let round = 0; round < rounds; round++) {
    for (const { request, samples } of systems) samples.push(await sample(request, asksPerRound));
  }
  const [least] = systems;
  const p50Of = (samples: readonly Sample[]): number => median(samples.map(({ p50 }) => p50));
  const rows = systems.map(({ name, samples }) => [
    name,
    fixed(p50Of(samples), 0),
    fixed(median(samples.map(({ p99 }) => p99)), 0),
    samples === least?.samples ? '' : times(p50Of(samples) / p50Of(least?.samples ?? [])),
  ]);
  console.log(`\n${bytes.length} bytes, one in flight (medians of ${rounds} rounds of ${asksPerRound})\n`);
  console.log(table(['', 'p50 µs', 'p99 µs', 'against the bare one (target: at most 2)'], rows));
}

export async function benchAsk(): Promise<void> {
  const endings = new Endings();
  try {
    await measure(endings);
  } finally {
    await endings.end();
  }
}
