/** The dashboard of `deploy/grafana`, and the alerts, name only metrics that a node exports, and labels that these have. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startTestDatabase } from '../support/database.ts';
import { startSkeinOn } from '../support/skein.ts';

const read = (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url)), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(await read('grafana/skein.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

/** What a node exports. */
async function scrape(): Promise<{ readonly names: ReadonlySet<string>; readonly text: string }> {
  const { url } = await startTestDatabase(t);
  // With everything that counts.
  const skein = await startSkeinOn(t, url, {
    GRPC_PORT: '0',
    SERVICE_TOKENS: `ops:${'s'.repeat(32)}`,
    RATE_LIMITS: 'on',
  });
  const text = await (await fetch(`${skein.url}/metrics`)).text();
  return { names: new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)), text };
}

const namedIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:skein|nodejs|process)_[a-z0-9_]+(?=\{)/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  );

t.test('every metric is one that a node exports', async t => {
  const { names, text } = await scrape();
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const used = namedIn(expressions.join('\n'));
  t.ok(new Set(used).size > 30, `${new Set(used).size} metrics`);
  t.same(
    [...new Set(used)].filter(name => !names.has(name)),
    [],
    'of the dashboard',
  );
  t.same(
    [...new Set(namedIn(await read('prometheus/rules.yaml')))].filter(name => !names.has(name)),
    [],
    'of the alerts',
  );
  for (const expr of expressions) {
    if (!expr.startsWith('histogram_quantile')) continue;
    const [, name = ''] = /rate\((\w+)_bucket\{/.exec(expr) ?? [];
    t.ok(text.includes(`# TYPE ${name} histogram`), `${name} is a histogram`);
  }
});

t.test(
  'panels have ids of their own, an expression, a place, and the label that their legend shows',
  async t => {
    t.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
    t.same(
      dashboard.templating.list.map(({ name }) => name),
      ['datasource', 'instance'],
    );
    for (const { title, targets = [], gridPos } of panels) {
      t.ok(targets.length > 0 && gridPos.x + gridPos.w <= 24, title);
      for (const { expr, legendFormat } of targets) {
        t.match(expr, 'job=~"skein.*", instance=~"$instance"', title);
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          t.match(expr, new RegExp(`by \\([^)]*\\b${label}\\b`), `${title}: ${label}`);
        }
      }
    }
  },
);
