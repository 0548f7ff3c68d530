/**
 * Which alerts each fault fires, and whether docs/operate/runbook.md names them and no others. Three real nodes at light work, PostgreSQL,
 * a nats-server and what the nodes call; a real Prometheus with deploy/prometheus/rules.yaml, whose durations alone are shortened
 * (rules.ts), so that a minute of the rules takes a second and a half.
 *
 * Each fault has a Prometheus of its own, without history: it first sees the cluster well, then the fault, then the recovery. An alert
 * counts whenever it fires. One that fires before the fault, or is not named, is as wrong as one that does not come. A fault that no
 * alert shows has to be seen in a metric.
 *
 * The nodes' own times (leases, timeouts, retries) are what they always are: in minutes of the rules they take forty times as long.
 *
 * `FAULT=mail,NATS` makes those faults alone whose names have one of the words. `ALERTS_FACTOR=10` goes slower. The process ends with 1 where
 * anything is not as the runbook says.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fixed, table } from '../support/table.ts';
import { type Fault, faults } from './faults.ts';
import { findPrometheus, type Firing, Prometheus } from './prometheus.ts';
import { readFaultList, scaleRules } from './rules.ts';
import { AlertStage } from './stage.ts';

const read = (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

/** Prometheus' own default is a minute; a quarter of it is usual. */
const scrapeMs = 15_000;
const lookbackMs = 300_000;
/** Minutes of the rules before a fault, and after it. */
const calmMinutes = 2;
const afterMinutes = 3;
/** A takeover takes as long as ever. */
const atLeastMs = { SkeinShardsVacant: 5_000 };

interface Observation {
  readonly fault: string;
  readonly fired: readonly { readonly alert: string; readonly minutes: number }[];
  /** Undefined: as the runbook says. */
  readonly wrong: string | undefined;
}

interface Timing {
  readonly factor: number;
  readonly rules: string;
}

export async function benchAlerts(): Promise<void> {
  const factor = Number(process.env['ALERTS_FACTOR'] ?? 40);
  const words = (process.env['FAULT'] ?? '').split(',');
  const chosen = faults.filter(({ name }) => words.some(word => name.includes(word)));
  if (!(factor >= 1) || chosen.length === 0) {
    throw new Error(`FAULT has words of these: ${faults.map(({ name }) => name).join('; ')}`);
  }
  // Before anything is started: where it is missing, this says how to get it.
  await findPrometheus();
  const expected = readFaultList(await read('docs/operate/runbook.md'));
  const timing = { factor, rules: scaleRules(await read('deploy/prometheus/rules.yaml'), factor, atLeastMs) };
  const seen: Observation[] = [];
  try {
    await AlertStage.with(async stage => {
      for (const fault of chosen) {
        const observation = await observe(stage, fault, timing, expected.get(fault.name));
        console.log(`  ${fault.name}: ${describe(observation)}`);
        seen.push(observation);
      }
    });
  } finally {
    show(seen, expected, factor);
  }
}

function show(
  seen: readonly Observation[],
  expected: ReadonlyMap<string, readonly string[]>,
  factor: number,
): void {
  console.log(`\nEach minute of the rules took ${fixed(60 / factor)} s\n`);
  const rows = seen.map(({ fault, fired, wrong }) => [
    fault,
    fired.map(({ alert, minutes }) => `${alert} ${fixed(minutes)}`).join(', ') || 'none',
    (expected.get(fault) ?? []).join(', ') || 'none',
    wrong ?? 'as it says',
  ]);
  console.log(table(['fault', 'fired, after minutes', 'the runbook names', 'verdict'], rows));
  if (seen.some(({ wrong }) => wrong !== undefined)) process.exitCode = 1;
}

const describe = ({ fired, wrong }: Observation): string =>
  `${fired.map(({ alert, minutes }) => `${alert} after ${fixed(minutes)}`).join(', ') || 'nothing'}${wrong === undefined ? '' : ` (${wrong})`}`;

async function observe(
  stage: AlertStage,
  { name, minutes, proof, begin }: Fault,
  { factor, rules }: Timing,
  expected: readonly string[] | undefined,
): Promise<Observation> {
  const minuteMs = 60_000 / factor;
  await stage.isWell();
  const everyMs = Math.round(scrapeMs / factor);
  const prometheus = await Prometheus.start({ rules, everyMs, lookbackMs: Math.round(lookbackMs / factor) });
  try {
    await prometheus.watch(stage.nodeUrls);
    await pause(calmMinutes * minuteMs);
    const tooEarly = await prometheus.listFirings();
    const end = await begin(stage, prometheus);
    const begunAt = Date.now();
    await pause(minutes * minuteMs);
    const effect = proof === undefined ? undefined : await prometheus.read(proof);
    await end();
    await stage.isWell();
    await pause(afterMinutes * minuteMs);
    const firings = await prometheus.listFirings();
    const fired = firings.map(({ alert, at }) => ({ alert, minutes: Math.max(0, at - begunAt) / minuteMs }));
    const hadEffect = proof === undefined || (effect ?? 0) > 0;
    return { fault: name, fired, wrong: findWrong({ expected, firings, tooEarly, hadEffect }) };
  } finally {
    await prometheus.stop();
  }
}

interface Finding {
  /** Undefined: the runbook does not know the fault. */
  readonly expected: readonly string[] | undefined;
  readonly firings: readonly Firing[];
  readonly tooEarly: readonly Firing[];
  readonly hadEffect: boolean;
}

/** What is not as the runbook says. */
export function findWrong({ expected, firings, tooEarly, hadEffect }: Finding): string | undefined {
  if (expected === undefined) return 'not in the runbook';
  const fired = firings.map(({ alert }) => alert);
  const missing = expected.filter(alert => !fired.includes(alert));
  const others = fired.filter(alert => !expected.includes(alert));
  const wrong = [
    ...(hadEffect ? [] : ['it had no effect']),
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`]),
    ...(others.length === 0 ? [] : [`not named: ${others.join(', ')}`]),
    ...(tooEarly.length === 0 ? [] : [`before it: ${tooEarly.map(({ alert }) => alert).join(', ')}`]),
  ];
  return wrong.length === 0 ? undefined : wrong.join('; ');
}
