/** The rules at another pace: every duration is another one, and nothing else is. And the list of faults, which has all that are made. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { parse } from 'yaml';
import { findWrong } from '../../../bench/alerts/alerts.ts';
import { faults } from '../../../bench/alerts/faults.ts';
import { readFaultList, scaleRules } from '../../../bench/alerts/rules.ts';

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

const toRules = (text: string): readonly Rule[] =>
  (parse(text) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );

const rules = await read('deploy/prometheus/rules.yaml');

t.test('durations are divided, and one that may not be too short is not', async t => {
  const text = [
    '      - alert: First',
    '        expr: rate(a{job=~"skein.*", status=~"5.."}[5m]) > 0.01 and b < 7 * 86400',
    '        for: 1h',
    '      - alert: Second',
    '        expr: c[90s]',
    '        for: 30s',
    '      - alert: Third',
    '        for: 30s',
  ].join('\n');
  t.equal(
    scaleRules(text, 30, { Second: 5_000 }),
    [
      '      - alert: First',
      '        expr: rate(a{job=~"skein.*", status=~"5.."}[10000ms]) > 0.01 and b < 7 * 86400',
      '        for: 120000ms',
      '      - alert: Second',
      '        expr: c[3000ms]',
      '        for: 5000ms',
      '      - alert: Third',
      '        for: 1000ms',
    ].join('\n'),
  );
});

t.test('of the real rules none keeps a duration, and all keep everything else', async t => {
  const scaled = toRules(scaleRules(rules, 30));
  const original = toRules(rules);
  t.equal(scaled.length, original.length);
  let durations = 0;
  for (const [index, { alert, expr, for: wait, ...others }] of original.entries()) {
    const { expr: newExpr = '', for: newWait, ...newOthers } = scaled[index] ?? ({} as Partial<Rule>);
    t.strictSame(newOthers, { alert, ...others });
    t.equal(newWait === undefined, wait === undefined, alert);
    if (newWait !== undefined) t.match(newWait, /^\d+ms$/, alert);
    const spans = newExpr.match(/\[[^\]]*\]/g) ?? [];
    for (const span of spans) t.match(span, /^\[\d+ms\]$/, alert);
    durations += spans.length;
    t.equal(newExpr.replace(/\[[^\]]*\]/g, '[]'), expr.replace(/\[[^\]]*\]/g, '[]'), alert);
  }
  t.ok(durations > 15, `${durations} spans`);
});

t.test('the runbook has every fault that is made, with alerts that there are', async t => {
  const named = readFaultList(await read('docs/operate/runbook.md'));
  t.strictSame(
    faults.map(({ name }) => name).filter(name => !named.has(name)),
    [],
  );
  const alerts = new Set(toRules(rules).map(({ alert }) => alert));
  for (const [fault, fires] of named)
    t.ok(
      fires.every(alert => alerts.has(alert)),
      fault,
    );
  // What fires nothing has to be seen by other means.
  for (const { name, proof } of faults)
    t.equal(proof === undefined, (named.get(name) ?? []).length > 0, name);
  t.throws(() => readFaultList('no list'), { message: /no list of faults/ });
  const text =
    'What fires for which fault:\n\n- A (1): SkeinB and SkeinC; not\n  SkeinD.\n- E: nothing.\n\n- F: SkeinG.\n';
  t.strictSame(
    [...readFaultList(text)],
    [
      ['A (1)', ['SkeinB', 'SkeinC']],
      ['E', []],
    ],
  );
});

t.test('what is missing, what is not named and what came before the fault is wrong', async t => {
  const fired = (...alerts: string[]) => alerts.map(alert => ({ alert, at: 0 }));
  const well = { expected: ['A', 'B'], firings: fired('B', 'A'), tooEarly: [], hadEffect: true };
  t.equal(findWrong(well), undefined);
  t.equal(findWrong({ ...well, expected: [], firings: [] }), undefined);
  t.equal(findWrong({ ...well, firings: fired('A') }), 'missing: B');
  t.equal(findWrong({ ...well, firings: fired('A', 'B', 'C') }), 'not named: C');
  t.equal(findWrong({ ...well, tooEarly: fired('A') }), 'before it: A');
  t.equal(findWrong({ ...well, hadEffect: false }), 'it had no effect');
  t.equal(findWrong({ ...well, expected: undefined }), 'not in the runbook');
});
