/**
 * An ask of an actor on another node beside a bare NATS request: the same bytes there and back, two processes, one nats-server, one
 * in flight. The other process owns a shard on a transport, and answers bare requests beside it.
 */
import { connect } from 'nats';
import { systemClock } from '../../runtime/time/clock.ts';
import type { Envelope } from '../../runtime/transport/transport.ts';
import { encodeEnvelope, encodeReply } from '../../runtime/transport/wire.ts';
import { natsNode } from '../../test/support/nats-node.ts';
import { NatsServer } from '../../test/support/nats-server.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child, endWithParent } from '../support/child.ts';
import { Endings } from '../support/endings.ts';
import { fixed, quantile, times } from '../support/table.ts';
import { compare, middle, quick, show, takeTurns } from '../support/turns.ts';

const rounds = quick(6, 1);
const asksPerRound = quick(2_000, 100);
const warmup = quick(1_000, 100);
const shard = 7;
const bareSubject = 'bare.request';
/** As a message of 300 bytes has it. */
const payload = { projectId: 'prj_bench', environmentId: 'env_bench', body: 'x'.repeat(300) };
const reply = { messageId: 'msg_bench', threadId: 'thread_bench', sequence: 1, body: payload.body };

/** Microseconds. */
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

export async function run({ endings }: BenchDatabase): Promise<void> {
  const nats = await NatsServer.of(endings, { jetStream: false });
  const answerer = new Child(new URL(import.meta.url), { arguments: ['answerer', nats.url] });
  endings.teardown(() => answerer.stop());
  await answerer.hear();
  const { transport } = await natsNode(endings, nats.url);
  const bare = await connect({ servers: nats.url });
  endings.teardown(() => bare.close());
  const bytes = Buffer.from(encodeEnvelope(envelope(), systemClock.monotonic()));
  const systems: readonly { readonly name: string; request(): Promise<unknown> }[] = [
    { name: 'bare NATS request', request: () => bare.request(bareSubject, bytes) },
    { name: 'ask of an actor on another node', request: () => transport.ask(shard, envelope()) },
  ];
  for (const { request } of systems) await sample(request, warmup);
  const samples = await takeTurns(systems, rounds, ({ request }) => sample(request, asksPerRound));
  console.log(`\n${bytes.length} bytes, one in flight (medians of ${rounds} rounds of ${asksPerRound})\n`);
  const columns = {
    'p50 µs': show('p50', value => fixed(value, 0)),
    'p99 µs': show('p99', value => fixed(value, 0)),
    'against the bare one (target: at most 2)': (of: readonly Sample[], first: readonly Sample[]) =>
      times(middle(of, 'p50') / middle(first, 'p50')),
  };
  console.log(compare(samples, columns));
}

async function answer(url: string): Promise<void> {
  const endings = new Endings();
  const { transport } = await natsNode(endings, url);
  await transport.serve(shard, () => Promise.resolve(reply));
  const bare = await connect({ servers: url });
  endings.teardown(() => bare.close());
  const bytes = Buffer.from(encodeReply(reply));
  bare.subscribe(bareSubject, { callback: (_, message) => void message.respond(bytes) });
  await bare.flush();
  endWithParent(() => endings.end());
  process.send?.('ready');
}

if (process.argv[2] === 'answerer') await answer(process.argv[3] ?? '');
