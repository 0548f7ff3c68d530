/** The alerts of `deploy/prometheus` by promtool; each has its page in the runbook, and asks for metrics that a node has. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { findDebianProgram } from '../support/debian-program.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'deploy/prometheus');
const rules = await readFile(join(folder, 'rules.yaml'), 'utf8');
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name);

const promtool = await findDebianProgram({
  name: 'promtool',
  variable: 'PROMTOOL',
  packages: ['prometheus'],
  advice:
    'promtool was not found: set PROMTOOL to its path, or install it (Debian and Ubuntu: apt-get install prometheus)',
});

t.test('promtool finds no fault in the rules, and each fires where it should', async t => {
  t.match((await run(promtool, ['check', 'rules', 'rules.yaml'], { cwd: folder })).stdout, 'SUCCESS');
  const tested = await run(promtool, ['test', 'rules', 'rules.test.yaml'], { cwd: folder });
  t.match(tested.stdout, 'SUCCESS');
  const tests = await readFile(join(folder, 'rules.test.yaml'), 'utf8');
  t.same(
    alerts.filter(name => !tests.includes(`alertname: ${name}\n        exp_alerts`)),
    [],
    'each is seen to fire',
  );
});

t.test('each has its page in the runbook, and there is no other', async t => {
  const text = await readFile(join(root, 'docs/operate/runbook.md'), 'utf8');
  const pages = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  t.same(pages, alerts);
  for (const name of alerts) t.match(rules, `docs/operate/runbook.md#${name.toLowerCase()}\n`, name);
});

t.test('the list of faults in the runbook names alerts that exist', async t => {
  const text = await readFile(join(root, 'docs/operate/runbook.md'), 'utf8');
  const [, list = ''] = /^Each fault fires these alerts.*\n\n((?:(?:- | {2}).*\n)+)/m.exec(text) ?? [];
  const named = list.match(/\bSkein\w+/g) ?? [];
  t.ok(named.length >= 14, `${named.length} alerts`);
  t.same(
    named.filter(name => !alerts.includes(name)),
    [],
  );
});

t.test('each asks for metrics that a node has', async t => {
  const text = await readFile(join(root, 'docs/operate/monitoring.md'), 'utf8');
  const named = [...rules.matchAll(/\bskein_\w+(?=\{)/g)].map(([name]) => name.replace(/_bucket$/, ''));
  t.ok(named.length >= alerts.length - 2, `${named.length} metrics`);
  t.same(
    named.filter(name => !text.includes(`| \`${name}\` |`)),
    [],
  );
});
