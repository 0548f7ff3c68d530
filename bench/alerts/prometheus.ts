/** A real Prometheus over the nodes of a cluster: what it is to scrape changes while it runs, and it tells which alerts have fired. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDebianProgram } from '../../test/support/debian-program.ts';
import { eventually } from '../../test/support/eventually.ts';
import { pickPort } from '../../test/support/free-port.ts';
import { processGuard } from '../../test/support/process-guard.ts';

export interface PrometheusOptions {
  /** The content of its file of rules. */
  readonly rules: string;
  /** Between two looks at a node, and between two at the rules. */
  readonly everyMs: number;
  /** How long a sample counts; Prometheus' own default is 5 minutes. */
  readonly lookbackMs: number;
}

/** An alert that has fired, whatever its labels. */
export interface Firing {
  readonly alert: string;
  /** When it did so first, in epoch milliseconds. */
  readonly at: number;
}

interface QueryResult {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/** The path of the program: of PROMETHEUS, of the PATH, or of Debian's package. Rejects with advice where there is none. */
export function findPrometheus(): Promise<string> {
  return findDebianProgram({
    name: 'prometheus',
    variable: 'PROMETHEUS',
    advice:
      'prometheus was not found: set PROMETHEUS to its path, or install it (Debian and Ubuntu: apt-get install prometheus; ' +
      'others: https://prometheus.io/download)',
  });
}

export class Prometheus {
  readonly #url: string;
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(url: string, folder: string, child: ChildProcess) {
    this.#url = url;
    this.#folder = folder;
    this.#child = child;
  }

  /** Resolves when it answers. It has no history, scrapes nothing before `watch`, and ends with `stop` or with this process. */
  static async start({ rules, everyMs, lookbackMs }: PrometheusOptions): Promise<Prometheus> {
    const program = await findPrometheus();
    const folder = await mkdtemp(join(tmpdir(), `skein-prometheus-${process.pid}-`));
    const every = `${everyMs}ms`;
    const config = {
      global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
      rule_files: ['rules.yaml'],
      scrape_configs: [{ job_name: 'skein', file_sd_configs: [{ files: ['targets.json'] }] }],
    };
    await writeFile(join(folder, 'targets.json'), '[]');
    await writeFile(join(folder, 'rules.yaml'), rules);
    // JSON is YAML.
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const address = `127.0.0.1:${await pickPort()}`;
    const child = spawn(
      program,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        `--query.lookback-delta=${lookbackMs}ms`,
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.once('exit', processGuard(child.pid ?? 0, 'KILL'));
    const prometheus = new Prometheus(`http://${address}`, folder, child);
    const ended = once(child, 'exit').then(() => {
      throw new Error(`Prometheus has ended:\n${said}`);
    });
    ended.catch(() => undefined);
    try {
      await Promise.race([eventually('answer of Prometheus', () => prometheus.#isReady()), ended]);
    } catch (error) {
      await prometheus.stop();
      throw error;
    }
    return prometheus;
  }

  /** From now on it scrapes these nodes, by their addresses, and no others. */
  async watch(urls: readonly string[]): Promise<void> {
    const groups = [{ targets: urls.map(url => new URL(url).host) }];
    const draft = join(this.#folder, 'targets.draft');
    await writeFile(draft, JSON.stringify(groups));
    await rename(draft, join(this.#folder, 'targets.json'));
  }

  /** Every alert that has fired since it was started, in their order. */
  async listFirings(): Promise<readonly Firing[]> {
    const first = new Map<string, number>();
    for (const { metric, values = [] } of await this.#query('ALERTS{alertstate="firing"}[1h]')) {
      const alert = metric['alertname'] ?? '';
      const at = (values[0]?.[0] ?? Number.NaN) * 1_000;
      first.set(alert, Math.min(at, first.get(alert) ?? Infinity));
    }
    return [...first].map(([alert, at]) => ({ alert, at })).sort((a, b) => a.at - b.at);
  }

  /** The greatest value of an expression now; undefined: it has none. */
  async read(expression: string): Promise<number | undefined> {
    const values = (await this.#query(expression)).map(({ value }) => Number(value?.[1]));
    return values.length === 0 ? undefined : Math.max(...values);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      // What it has stored is thrown away.
      this.#child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.#url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async #query(query: string): Promise<readonly QueryResult[]> {
    const response = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query })}`);
    if (!response.ok) throw new Error(`Prometheus answered ${response.status} ${await response.text()}`);
    return ((await response.json()) as { readonly data: { readonly result: readonly QueryResult[] } }).data
      .result;
  }
}
