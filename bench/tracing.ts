/**
 * What traces cost: durable inbound messages per second, as `inbound` loads them with 1,000 threads and 256 connections, of a node that
 * traces nothing and of one that sends its spans to a collector and keeps one trace in a hundred. The collector is a real HTTP server in this
 * process, which counts what it gets: spans that did not come would be no measurement of tracing.
 *
 * A second node without tracing shows what the noise is: its ratio should be 1. And where the callers of the node that traces send a
 * `traceparent` that is kept, it keeps all traces: that has no target, since nobody traces all messages of such a load.
 *
 * All take turns, forwards and backwards. The verdict is the median of the ratios of one round each, whose neighbours ran within the same seconds.
 */
import { randomBytes } from 'node:crypto';
import type { BenchDatabase } from './support/bench-database.ts';
import {
  type InboundSystem,
  type Round,
  type Sample,
  sampleInbound,
  startInboundNode,
} from './support/inbound-load.ts';
import { SpanCounter } from './support/span-counter.ts';
import { count, fixed, median, table, times } from './support/table.ts';

const round: Round = { connections: 256, threads: 1_000, warmupMs: 1_000, measuredMs: 3_000 };
const rounds = 9;
/** Until a node that has just started has compiled what it runs. */
const heating: Round = { ...round, warmupMs: 500, measuredMs: 4_000 };
const share = 0.01;
/** The throughput with this share of traces against that without tracing. */
const target = 0.97;
/** Longer than a node waits between two batches of spans: when none has come for so long, all of a round have. */
const silenceMs = 1_500;

interface Contender {
  readonly name: string;
  readonly system: InboundSystem;
  readonly samples: Sample[];
  /** Spans that the collector got of each round, and messages that they are of: those of the warm-up, too. */
  readonly received: { spans: number; bytes: number; messages: number };
}

export async function benchTracing(database: BenchDatabase): Promise<void> {
  await database.warm();
  const collector = await SpanCounter.listen();
  const systems: InboundSystem[] = [];
  const start = async (
    name: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<InboundSystem> => {
    const system = await startInboundNode(database, name, environment);
    systems.push(system);
    await sampleInbound(system, heating, database);
    return system;
  };
  try {
    const off = await start('tracing_off', {});
    const again = await start('tracing_off_again', {});
    const on = await start('tracing_on', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: String(share),
    });
    const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
    const contenders = [
      createContender('off', off),
      createContender('off, another node', again),
      createContender(`${share * 100} % kept`, on),
      createContender('all kept, as every caller says', { ...on, headers: { ...on.headers, traceparent } }),
    ];
    for (let i = 0; i < rounds; i++) {
      for (const contender of i % 2 === 0 ? contenders : contenders.toReversed()) {
        await takeTurn(contender, collector, database);
      }
    }
    console.log(
      `\n1,000 threads, 256 connections (medians of ${rounds} rounds of ${round.measuredMs / 1_000} s)\n`,
    );
    console.log(createTable(contenders));
    console.log(`\n${judge(contenders)}`);
  } finally {
    for (const system of systems) await system.stop();
    await collector.stop();
  }
}

function createContender(name: string, system: InboundSystem): Contender {
  return { name, system, samples: [], received: { spans: 0, bytes: 0, messages: 0 } };
}

async function takeTurn(
  { system, samples, received }: Contender,
  collector: SpanCounter,
  database: BenchDatabase,
): Promise<void> {
  const { spans, bytes } = collector;
  const sample = await sampleInbound(system, round, database);
  for (let seen = -1; seen !== collector.spans;) {
    seen = collector.spans;
    await new Promise(resolve => setTimeout(resolve, silenceMs));
  }
  samples.push(sample);
  received.spans += collector.spans - spans;
  received.bytes += collector.bytes - bytes;
  received.messages += sample.succeeded;
}

/** Of each round the throughput against that of the first contender. */
function listRatios(contenders: readonly Contender[], { samples }: Contender): readonly number[] {
  const first = contenders[0]?.samples ?? [];
  return samples.map(({ perSecond }, i) => perSecond / (first[i]?.perSecond ?? Number.NaN));
}

function createTable(contenders: readonly Contender[]): string {
  const head = [
    'traces',
    'msgs/s',
    'against off',
    'p50 ms',
    'p99 ms',
    'server µs',
    'PostgreSQL µs',
    'spans a message',
    'bytes a span',
  ];
  const rows = contenders.map((contender, i) => {
    const { name, samples, received } = contender;
    const middle = (of: (sample: Sample) => number): number => median(samples.map(of));
    const ratios = listRatios(contenders, contender);
    return [
      name,
      count(middle(each => each.perSecond)),
      i === 0
        ? ''
        : `${times(median(ratios))} (${fixed(Math.min(...ratios), 2)} to ${fixed(Math.max(...ratios), 2)})`,
      fixed(middle(each => each.p50Ms)),
      fixed(middle(each => each.p99Ms)),
      fixed(
        middle(each => each.serverMicros),
        1,
      ),
      fixed(
        middle(each => each.databaseMicros),
        1,
      ),
      fixed(received.spans / received.messages, 4),
      received.spans === 0 ? '' : count(received.bytes / received.spans),
    ];
  });
  return table(head, rows);
}

/** Throws where the spans that came are not those of the share that is kept. */
function judge(contenders: readonly Contender[]): string {
  const [off, again, on] = contenders;
  if (off === undefined || again === undefined || on === undefined) throw new Error('nothing was measured');
  const { spans, messages } = on.received;
  if (off.received.spans + again.received.spans > 0) throw new Error('a node without tracing sent spans');
  // Of each message that is kept its request and its turn, and the transaction unless another's span has it.
  if (spans < messages * share * 1.5 || spans > messages * share * 4)
    throw new Error(`${spans} spans of ${messages} messages: the node did not keep ${share * 100} %`);
  const ratio = median(listRatios(contenders, on));
  const noise = median(listRatios(contenders, again));
  const verdict = ratio >= target ? 'kept' : 'missed';
  return `${count(spans)} spans of ${count(messages)} messages. ${times(ratio)}, target at least ${times(target)}: ${verdict} (two nodes without tracing: ${times(noise)})`;
}
