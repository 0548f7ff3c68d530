/**
 * Metrics in the OpenMetrics format (https://prometheus.io/docs/specs/om/open_metrics_spec/), which has room for exemplars: the trace of one
 * observation of a bucket. prom-client's own writer renames the counters of its registry for good, and so cannot give both formats.
 */
import type { Registry } from 'prom-client';
import type { Exemplar } from '../../runtime/observability/index.ts';

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** What a metric of prom-client gives, of all types. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly Sample[];
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** With its suffix. Absent: the family's name. */
  readonly metricName?: string;
  readonly exemplar?: Exemplar | null;
}

/** Whether whoever sends this `Accept` wants OpenMetrics at least as much as the older text. */
export function prefersOpenMetrics(accept: string): boolean {
  let [open, plain] = [0, 0];
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim());
    const given = parameters.find(parameter => parameter.startsWith('q='));
    const quality = given === undefined ? 1 : Number(given.slice(2));
    if (type === 'application/openmetrics-text') open = Math.max(open, quality);
    else if (type === 'text/plain') plain = Math.max(plain, quality);
  }
  return open > 0 && open >= plain;
}

export async function formatOpenMetrics(registry: Pick<Registry, 'getMetricsAsArray'>): Promise<string> {
  const metrics = registry.getMetricsAsArray() as unknown as readonly { get(): Promise<Family> }[];
  const families = await Promise.all(metrics.map(async metric => formatFamily(await metric.get())));
  return `${families.join('')}# EOF\n`;
}

function formatFamily({ name, help, type, values }: Family): string {
  const isCounter = type === 'counter';
  const family = isCounter ? name.replace(/_total$/, '') : name;
  const lines = [`# HELP ${family} ${escape(help)}`, `# TYPE ${family} ${String(type)}`];
  for (const { metricName, labels, value, exemplar } of values) {
    const sample = isCounter ? `${family}_total` : (metricName ?? name);
    lines.push(`${sample}${formatLabels(labels)} ${formatNumber(value)}${formatExemplar(exemplar)}`);
  }
  return `${lines.join('\n')}\n`;
}

function formatExemplar(exemplar: Exemplar | null | undefined): string {
  if (exemplar === undefined || exemplar === null) return '';
  const { labelSet, value, timestamp } = exemplar;
  return ` # ${formatLabels(labelSet)} ${formatNumber(value)} ${timestamp.toFixed(3)}`;
}

function formatLabels(labels: Sample['labels']): string {
  const parts = Object.entries(labels).map(([name, value]) => {
    // Bounds of buckets are numbers that must look like ones: "1.0".
    const text = name === 'le' && typeof value === 'number' ? formatBound(value) : escape(String(value));
    return `${name}="${text}"`;
  });
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function formatBound(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : formatNumber(value);
}

function formatNumber(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
