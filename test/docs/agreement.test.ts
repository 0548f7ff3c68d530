/** Tables of the documents say what the code says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { versionPlaces } from '../../.config/changes.js';
import { type Variable, variables } from '../../gateway/config/variables.ts';
import { defaultRates } from '../../gateway/quota/rates.ts';
import { migrations } from '../../storage/migrations/list.ts';
import { defaultLimits } from '../../storage/writes/limits.ts';
import { errors } from '../../protocol/errors.ts';
import { eventTypes, type EventType } from '../../protocol/events.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations } from '../../protocol/operations/table.ts';
import { apiVersion } from '../../protocol/version.ts';
import { wireVersion } from '../../runtime/cluster/records.ts';
import { parseCodeSpans, readDocument, repositoryFiles, root, section, tableRows } from './markdown.ts';

const decisions = readDocument('docs/contract-decisions.md');

t.test('configuration.md has every variable, in its order, with its default and its meaning', async t => {
  const rows = readDocument('docs/operate/configuration.md')
    .text.split('\n')
    .filter(line => /^\| `[A-Z0-9_]+` \|.*\|.*\|$/.test(line));
  t.same(
    rows.filter(line => line.split('|').length === 5).map(line => line.replaceAll('`', '')),
    Object.entries<Variable<unknown>>(variables).map(([name, { meaning, condition, fallback }]) => {
      const text = condition === undefined ? meaning : `${meaning}; ${condition}`;
      return `| ${name} | ${fallback} | ${text} |`;
    }),
  );
});

t.test('rate-limits.md has every bucket, in its order, with its default', async t => {
  const windows: Readonly<Record<number, string>> = {
    1_000: 'a second',
    60_000: 'a minute',
    3_600_000: 'an hour',
  };
  const rows = tableRows(section(readDocument('docs/operate/rate-limits.md'), 'Rate limits'));
  t.same(
    rows.slice(0, Object.keys(defaultRates).length).map(([name, requests]) => [name, requests]),
    Object.entries(defaultRates).map(([name, { limit, windowMs }]) => {
      const window = windows[windowMs] ?? `in ${windowMs / 1_000} seconds`;
      return [`\`${name}\``, `${limit.toLocaleString('en-GB')} ${window}`];
    }),
  );
});

t.test('rate-limits.md has every limit of a tenant, in its order, with its default', async t => {
  const rows = tableRows(section(readDocument('docs/operate/rate-limits.md'), 'How much there may be'));
  const units: readonly (readonly [string, number])[] = [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
  ];
  const show = (name: string, most: number): string => {
    const [unit, size] = units.find(([, bytes]) => name.endsWith('Bytes') && most >= bytes) ?? ['', 1];
    return `${(most / size).toLocaleString('en-GB')} ${unit}`.trim();
  };
  t.same(
    rows.map(([name, most]) => [name, most]),
    Object.entries(defaultLimits).map(([name, most]) => [`\`${name}\``, show(name, most)]),
  );
});

t.test('contract-decisions.md has every event, and marks the ephemeral ones', async t => {
  const listed = tableRows(section(decisions, 'Events')).flatMap(([, cell = '']) => cell.split(' · '));
  const names = (cells: readonly string[]): string[] => cells.flatMap(parseCodeSpans).sort();
  const all = Object.entries<EventType>(eventTypes);
  t.same(names(listed), all.map(([name]) => name).sort());
  t.same(
    names(listed.filter(cell => cell.includes('(Console)'))),
    all
      .filter(([, { ephemeral }]) => ephemeral)
      .map(([name]) => name)
      .sort(),
  );
});

t.test('contract-decisions.md has every error, in its order, with its statuses', async t => {
  t.same(
    tableRows(section(decisions, 'Errors')),
    Object.entries(errors).map(([code, { http, grpc }]) => [`\`${code}\``, String(http), grpc]),
  );
});

t.test('contract-decisions.md has the place of every operation, and plans none that exists', async t => {
  const [served = '', planned = ''] = section(decisions, 'Operations').split(/^Planned operations/m);
  const placesIn = (text: string): string[] =>
    tableRows(text).flatMap(([, cell = '']) => parseCodeSpans(cell).filter(code => /^[A-Z]+ \//.test(code)));
  const places = Object.values<Operation>(operations).map(({ method, path }) => `${method} ${path}`);
  t.same([...new Set(placesIn(served))].sort(), places.sort());
  t.same(
    placesIn(planned).filter(place => places.includes(place)),
    [],
    'what is served is planned no more',
  );
});

/** String literals of the code that are a metric's name. */
function metricNames(): string[] {
  const names = new Set<string>();
  for (const path of repositoryFiles('{gateway,actors,storage,runtime}/**/*.ts')) {
    const text = readFileSync(join(root, path), 'utf8');
    if (!text.includes("'skein_")) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteral(node) && /^skein_[a-z_]+$/.test(node.text)) names.add(node.text);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  }
  return [...names].sort();
}

t.test('monitoring.md has every metric of ours, and no other', async t => {
  const rows = tableRows(section(readDocument('docs/operate/monitoring.md'), 'Metrics'));
  t.same(
    rows
      .flatMap(([name = '']) => parseCodeSpans(name))
      .filter(name => name.startsWith('skein_'))
      .sort(),
    metricNames(),
  );
});

t.test('upgrades.md says what this version speaks with nodes and with clients', async t => {
  const rows = tableRows(section(readDocument('docs/operate/upgrades.md'), 'Compatibility'));
  t.match(rows.at(-2)?.[2], `to \`${migrations.at(-1)?.name}\``, 'the newest schema');
  const [release = '', wire, , contract] = rows.at(-1) ?? [];
  t.match(release, /^(?:between two states of )?\d+\.\d+$/);
  t.same([wire, contract], [String(wireVersion), apiVersion]);
});

t.test('every place with the version of Skein has that of the newest release in the changelog', async t => {
  const releases = readDocument('CHANGELOG.md')
    .text.split('\n')
    .filter(line => line.startsWith('## '));
  for (const heading of releases) t.match(heading, /^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  const newest = /\d+\.\d+\.\d+/.exec(releases[0] ?? '')?.[0] ?? '';

  for (const [path, pattern] of Object.entries(versionPlaces)) {
    const numbers = [...readFileSync(join(root, path), 'utf8').matchAll(pattern)].map(([, number]) => number);
    t.ok(numbers.length > 0, `${path} has a version`);
    for (const number of numbers) t.equal(number, newest, path);
  }
  for (const path of repositoryFiles('package.json', 'clients/package.json', 'clients/*/package.json')) {
    t.ok(path in versionPlaces, `${path} is one of the places`);
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  for (const [path, { version }] of Object.entries(packages)) {
    if (!path.includes('node_modules/')) t.equal(version, newest, `package-lock.json (${path})`);
  }

  const rows = tableRows(section(readDocument('docs/operate/upgrades.md'), 'Compatibility'));
  t.ok(
    rows.some(([release]) => release === newest.replace(/\.\d+$/, '')),
    'upgrades.md has a row for it',
  );
});
