/** The compiler, the layer rules, the formatter and the text rules report planted violations. */
import { createRequire } from 'node:module';
import t from 'tap';
import { rules as textRules } from '../../.config/text-rules.js';
import { linkPackages, plant, readConfiguration, runScript } from './planted.ts';

interface Project {
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/** Code that the option refuses, and the number of the compiler's message. */
const typeViolations: Readonly<Record<string, readonly [string, string]>> = {
  strict: ['TS18048', `export const getSize = (text?: string): number => text.length;`],
  exactOptionalPropertyTypes: ['TS2375', `export const box: { size?: number } = { size: undefined };`],
  noUncheckedIndexedAccess: ['TS2322', `export const getFirst = (list: string[]): string => list[0];`],
  noImplicitOverride: [
    'TS4114',
    `class Base { run(): void {} }\nexport class Box extends Base { run(): void {} }`,
  ],
  noFallthroughCasesInSwitch: [
    'TS7029',
    `export function run(kind: string): void { switch (kind) { case 'a': run('b'); case 'b': } }`,
  ],
  noUnusedLocals: ['TS6133', `export {};\nconst unused = 1;`],
  noUnusedParameters: ['TS6133', `export const run = (unused: string): void => {};`],
  erasableSyntaxOnly: ['TS1294', `export enum Kind { One }`],
  verbatimModuleSyntax: ['TS1484', `import { Box } from './ambient.ts';\nexport type Size = Box['size'];`],
  isolatedModules: ['TS2748', `import { Kind } from './ambient.ts';\nexport const one = Kind.One;`],
};
/** Options that are on and refuse no code. */
const notChecks = [
  'allowImportingTsExtensions',
  'allowJs',
  'noEmit',
  'rewriteRelativeImportExtensions',
  'skipLibCheck',
];

t.test('each option of the compiler refuses its planted violation, in all three projects', async t => {
  const { compilerOptions } = await readConfiguration<Project>('tsconfig.json');
  const enabled = Object.keys(compilerOptions).filter(option => compilerOptions[option] === true);
  t.same(enabled.filter(option => !notChecks.includes(option)).sort(), Object.keys(typeViolations).sort());

  const files: Record<string, string> = {
    'gateway/ambient.d.ts': `export declare const enum Kind { One = 1 }\nexport interface Box { size: number }`,
    'clients/console/wrong.tsx': `export const Box = (): string => <p />;`,
    'clients/studio/wrong.tsx': `export const Box = (): string => <p />;`,
    // Allowed in the web apps.
    'clients/kit/optional.ts': `export const box: { size?: number } = { size: undefined };`,
  };
  const expected = ['clients/console/wrong.tsx: TS2322', 'clients/studio/wrong.tsx: TS2322'];
  for (const [option, [code, text]] of Object.entries(typeViolations)) {
    files[`gateway/${option}.ts`] = text;
    expected.push(`gateway/${option}.ts: ${code}`);
  }
  const folder = await plant(t, files);
  await linkPackages(folder);
  const { code, text } = await runScript(folder, 'types');
  t.not(code, 0);
  const found = [...text.matchAll(/^(\S+)\(\d+,\d+\): error (TS\d+)/gm)];
  // The folder .config is a link. Its files do not find what they import here.
  const planted = found.filter(([, file = '']) => !file.startsWith('.config/'));
  const messages = new Set(planted.map(([, file, code]) => `${file}: ${code}`));
  t.same([...messages].sort(), expected.sort());
});

/** For each rule of `.config/layers.cjs`: a folder, and the import that a file in it must not have. */
const layerViolations: Readonly<Record<string, readonly [string, string]>> = {
  'protocol-imports-nothing-above-it': ['protocol/core', '../../runtime/core/index.ts'],
  'runtime-imports-nothing-above-it': ['runtime/core', '../../storage/core/index.ts'],
  'storage-imports-nothing-above-it': ['storage/core', '../../actors/core/index.ts'],
  'actors-imports-nothing-above-it': ['actors/core', '../../gateway/core/index.ts'],
  'gateway-imports-no-tests': ['gateway/core', '../../test/file.ts'],
  'examples-import-packages-only': ['examples', '../runtime/core/index.ts'],
  'clients-import-no-server': ['clients/console', '../../protocol/core/index.ts'],
  'the-generator-reads-the-contract-only': ['clients/sdk', '../../runtime/core/index.ts'],
  'no-server-imports-clients': ['gateway/core', '../../clients/sdk/index.ts'],
  'demonstrations-use-the-sdk-only': ['bench/demo', '../../clients/sdk/inner.ts'],
  'the-sdk-imports-no-other-client': ['clients/sdk', '../kit/index.ts'],
  'the-apps-share-the-kit': ['clients/kit', '../console/index.ts'],
  'no-client-imports-another': ['clients/console', '../studio/index.ts'],
  'the-sdk-imports-no-package': ['clients/sdk', 'node:fs'],
  'nothing-imports-examples': ['test', '../examples/index.ts'],
  'modules-are-imported-by-their-index': ['gateway/core', '../http/inner.ts'],
  'no-circles': ['test', './no-circles.ts'],
  'uws-only-in-gateway-http': ['runtime/core', 'uWebSockets.js'],
  'orm-only-in-storage': ['runtime/core', 'kysely'],
  'nats-only-behind-its-port': ['gateway/core', 'nats'],
  'opentelemetry-only-in-gateway-tracing': ['gateway/core', '@opentelemetry/api'],
  'no-orphan-modules': ['gateway/core', ''],
  resolvable: ['test', './missing.ts'],
};
const layerTargets = [
  ...['protocol/core', 'runtime/core', 'storage/core', 'actors/core', 'gateway/core', 'examples'],
  ...['clients/sdk', 'clients/kit', 'clients/console', 'clients/studio'],
].map(folder => `${folder}/index.ts`);

interface Cruise {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

t.test('each layer rule refuses its planted import', async t => {
  const { forbidden } = createRequire(import.meta.url)('../../.config/layers.cjs') as {
    readonly forbidden: readonly { readonly name: string }[];
  };
  t.same(forbidden.map(({ name }) => name).sort(), Object.keys(layerViolations).sort());

  const files: Record<string, string> = {};
  for (const path of [...layerTargets, 'test/file.ts', 'clients/sdk/inner.ts', 'gateway/http/inner.ts']) {
    files[path] = 'export {};';
  }
  for (const name of ['uWebSockets.js', 'kysely', 'nats', '@opentelemetry/api']) {
    files[`node_modules/${name}/package.json`] = JSON.stringify({ name, main: 'index.js' });
    files[`node_modules/${name}/index.js`] = '';
  }
  const expected: string[] = [];
  for (const [rule, [folder, target]] of Object.entries(layerViolations)) {
    // Two rules apply to files of one name only.
    const name = rule === 'the-generator-reads-the-contract-only' ? 'generate' : rule;
    const path = `${folder}/${name}.ts`;
    files[path] = target === '' ? 'export {};' : `import '${target}';`;
    expected.push(`${path}: ${rule}`);
  }
  const folder = await plant(t, files);
  // In this form its exit code is 0.
  const { text } = await runScript(folder, 'layers', '--output-type', 'json');
  const { violations } = (JSON.parse(text) as Cruise).summary;
  const found = new Set(violations.map(({ from, rule }) => `${from}: ${rule.name}`));
  t.same(
    expected.filter(each => !found.has(each)),
    [],
  );
});

/** Text that the formatter changes, one file for each language and each option that is not the default. */
const unformatted: Readonly<Record<string, string>> = {
  'gateway/quotes.ts': `export const text = "text";\n`,
  'gateway/parentheses.ts': `export const get = (value => value);\n`,
  'gateway/wide.ts': `export const list = ['${'a'.repeat(40)}', '${'b'.repeat(40)}', '${'c'.repeat(40)}'];\n`,
  'clients/console/box.tsx': `export const Box = () => <p>  text</p>;\n`,
  'clients/console/box.css': `p{color:red}\n`,
  'clients/console/index.html': `<p   >text</p>\n`,
  'clients/build.js': `run( );\n`,
  'deploy/values.yaml': `a:   1\n`,
  'deploy/values.json': `{"a":1}\n`,
};
const formatted: Readonly<Record<string, string>> = {
  'gateway/formatted.ts': `export const getSize = (list: readonly string[]): number => list.map(each => each.length).length + 'a'.length;\n`,
  'README.md': `*  a\n`,
};

t.test('the formatter reports the planted files', async t => {
  const folder = await plant(t, { ...unformatted, ...formatted });
  const { code, text } = await runScript(folder, 'format');
  t.equal(code, 1);
  const found = [...text.matchAll(/^(\S+) \(\d+ms\)$/gm)].map(([, file]) => file);
  t.same(found.sort(), Object.keys(unformatted).sort());
});

/** Keeps the planted lines from breaking the rules in this file. */
const suffix = 'Of';
const brace = '{';
/** Lines that break a text rule. */
const textViolations: Readonly<Record<string, readonly string[]>> = {
  'say-which': [
    `export function size${suffix}(): number { return 1; }`,
    `const age${suffix} = (value: number): number => value;`,
    `const name${suffix} = async value => value;`,
    `const rank${suffix}: (value: number) => number = value => value;`,
    `  readonly key${suffix} = (value: number): number => value;`,
    `  private async kind${suffix}<T>(value: T): T { return value; }`,
    `  owner${suffix}(key: string): string;`,
  ],
  'no-packed-properties': [`const box = { size: 1, ...${brace} a, b } };`],
};
const allowedText = [
  `const asOf = thread.sequence;`,
  `const at = text.lastIndexOf('a');`,
  `  .lastIndexOf('a')`,
  `return <Box {...{ a, b }} />;`,
  `const box = { ...other };`,
];

t.test('each text rule reports its planted lines, also among the static checks', async t => {
  t.same(textRules.map(({ rule }) => rule).sort(), Object.keys(textViolations).sort());
  const files: Record<string, string> = { 'test/allowed.ts': allowedText.join('\n') };
  const expected: string[] = [];
  for (const [rule, lines] of Object.entries(textViolations)) {
    files[`gateway/${rule}.ts`] = lines.join('\n');
    for (const line of lines.keys()) expected.push(`gateway/${rule}.ts:${line + 1}: ${rule}`);
  }
  for (const folder of ['runtime', 'actors', 'storage', 'protocol', 'clients', 'bench', 'examples']) {
    files[`${folder}/empty.ts`] = '';
  }
  const folder = await plant(t, files);
  const { code, text } = await runScript(folder, 'static', 'text');
  t.equal(code, 1);
  t.same([...text.matchAll(/^(\S+:\d+: \S+): /gm)].map(([, found]) => found).sort(), expected.sort());
  t.match(text, /^text: failed after \d+\.\d s$/m);
  t.match(text, /^static checks: \d+\.\d s/m);
});
