/** Every rule of the linter reports a planted violation, and no rule reports code that its exceptions allow. */
import t from 'tap';
import { linkPackages, plant, readConfiguration, runScript } from './planted.ts';

type Rules = Readonly<Record<string, unknown>>;

interface Configuration {
  readonly rules: Rules;
  readonly overrides: readonly { readonly rules: Rules }[];
}

interface Report {
  readonly diagnostics: readonly {
    /** Missing in a message about the configuration. */
    readonly code?: string;
    readonly filename?: string;
    readonly message: string;
  }[];
}

const lines = (count: number): string => '\n'.repeat(count);

/** Code that breaks the rule, by its name in `.oxlintrc.json`. */
const violations: Readonly<Record<string, string>> = {
  eqeqeq: `export const isSame = (a: string, b: string): boolean => a == b;`,
  'id-denylist': `export const patience = 1;`,
  'max-lines-per-function': `export function run(): void {${lines(60)}}`,
  'no-array-constructor': `export const list: unknown[] = new Array(1, 2);`,
  'no-console': `export {};\nconsole.log('text');`,
  'no-unused-expressions': `export function run(value: number): void { value + 1; }`,
  'no-unused-vars': `export {};\nconst unused = 1;`,
  'no-var': `export function get(): number { var value = 1; return value; }`,
  'prefer-const': `export function get(): number { let value = 1; return value; }`,
  'prefer-rest-params': `export function get(): unknown { return arguments[0]; }`,
  'prefer-spread': `export const most = (values: number[]): number => Math.max.apply(Math, values);`,
  'typescript/await-thenable': `export async function run(): Promise<void> { await 1; }`,
  'typescript/ban-ts-comment': `// @ts-ignore\nexport const value = 1;`,
  'typescript/consistent-type-imports': `import { Stats } from 'node:fs';\nexport const getSize = (stats: Stats): number => stats.size;`,
  'typescript/no-duplicate-enum-values': `export enum Kind { One = 1, Two = 1 }`,
  'typescript/no-empty-object-type': `export type Nothing = {};`,
  'typescript/no-explicit-any': `export const toUnknown = (value: any): unknown => value;`,
  'typescript/no-extra-non-null-assertion': `export const getFirst = (list: string[]): string => list[0]!!;`,
  'typescript/no-floating-promises': `export function run(): void { Promise.resolve(1); }`,
  'typescript/no-misused-new': `export interface Box { new (): Box }`,
  'typescript/no-misused-promises': `export const isTrue = (): boolean => (Promise.resolve(true) ? true : false);`,
  'typescript/no-namespace': `export namespace Old { export const value = 1; }`,
  'typescript/no-non-null-asserted-optional-chain': `export const getSize = (box?: { size: number }): number => box?.size!;`,
  'typescript/no-require-imports': `import fs = require('node:fs');\nexport const read = fs.readFileSync;`,
  'typescript/no-this-alias': `export class Box { get(): Box { const self = this; return self; } }`,
  'typescript/no-unnecessary-type-constraint': `export const get = <T extends unknown>(value: T): T => value;`,
  'typescript/no-unsafe-declaration-merging': `export interface Box { size: number }\nexport class Box {}`,
  'typescript/no-unsafe-function-type': `export type Callback = Function;`,
  'typescript/no-wrapper-object-types': `export const toUnknown = (value: String): unknown => value;`,
  'typescript/prefer-as-const': `export const kind = 'a' as 'a';`,
  'typescript/prefer-namespace-keyword': `export declare module Old { export const value: number; }`,
  'typescript/require-await': `export async function get(): Promise<number> { return 1; }`,
  'typescript/switch-exhaustiveness-check': `export function run(kind: 'a' | 'b'): void { switch (kind) { case 'a': return; } }`,
  'typescript/triple-slash-reference': `/// <reference path="./eqeqeq.ts" />\nexport {};`,
};

const imports = `import { useEffect, useMemo, useRef, useState } from 'react';\n`;
const component = (body: string, parameters = ''): string =>
  `${imports}export function Box(${parameters}) { ${body} }\nvoid [useEffect, useMemo, useRef, useState];`;

/** The same for components. */
const componentViolations: Readonly<Record<string, string>> = {
  'react/error-boundaries':
    component(`try { return <Other />; } catch { return null; }`) + `\nfunction Other() { return <p />; }`,
  'react/exhaustive-deps': component(
    `useEffect(() => { document.title = title; }, []); return <p />;`,
    '{ title }: { title: string }',
  ),
  'react/globals': `let count = 0;\n${component('count = 1; return <p>{count}</p>;')}`,
  'react/immutability': component(
    `box.size = 1; return <p>{box.size}</p>;`,
    '{ box }: { box: { size: number } }',
  ),
  'react/preserve-manual-memoization':
    component(
      `const rows: string[] = []; useOther(); rows.push(text);
const kept = useMemo(() => [rows], [rows]); return <p>{kept}</p>;`,
      '{ text }: { text: string }',
    ) + `\nfunction useOther() { useRef(1); }`,
  'react/purity': component(`return <p>{Math.random()}</p>;`),
  'react/refs': component(`const ref = useRef(1); return <p>{ref.current}</p>;`),
  'react/rules-of-hooks': component(`if (isOn) useState(1); return <p />;`, '{ isOn }: { isOn: boolean }'),
  'react/set-state-in-effect': component(
    `const [value, setValue] = useState(0); useEffect(() => { setValue(1); }, []); return <p>{value}</p>;`,
  ),
  'react/set-state-in-render': component(
    `const [value, setValue] = useState(0); setValue(1); return <p>{value}</p>;`,
  ),
  'react/static-components': component(`const Inner = () => <p />; return <Inner />;`),
  'react/unsupported-syntax': component(`return <p>{eval('1')}</p>;`),
  'react/use-memo': component(`const value = useMemo((each: number) => each, []); return <p>{value}</p>;`),
  'react/void-use-memo': component(
    `const value = useMemo(() => { list.map(String); }, [list]); return <p>{value}</p>;`,
    '{ list }: { list: string[] }',
  ),
};

/** Code that would break a rule outside of these folders. */
const allowed: Readonly<Record<string, string>> = {
  'bench/console.ts': `export {};\nconsole.log('text');`,
  'clients/console/component.tsx': `const save = async (): Promise<void> => { await fetch('/'); };
export function Box() {${lines(80)} return <button onClick={save} />; }`,
  'clients/kit/absent.ts': `export const isAbsent = (value?: string | null): boolean => value == null;`,
  'gateway/exhaustive.ts': `export function run(kind: 'a' | 'b'): void { switch (kind) { case 'a': return; default: } }`,
  'gateway/unused.ts': `export const run = (_value: string): void => {};`,
  'gateway/generated/any.ts': `export const toUnknown = (value: any): unknown => value;`,
  'test/promises.ts': `export async function run(): Promise<void> { Promise.resolve(1); }`,
};

/** Other rules that report the same code. */
const further: Readonly<Record<string, readonly string[]>> = {
  'react/preserve-manual-memoization': ['react/exhaustive-deps'],
  'typescript/prefer-namespace-keyword': ['typescript/no-namespace'],
};

const toPath = (rule: string, folder: string, extension: string): string =>
  `${folder}/${rule.replace('/', '-')}.${extension}`;
/** `eslint(no-var)` -> `no-var`, `react(refs)` and `react-hooks(refs)` -> `react/refs`. */
const toRule = (code: string): string =>
  code
    .replace(/^([\w-]+)\((.*)\)$/, '$1/$2')
    .replace(/^eslint\//, '')
    .replace(/^react-hooks\//, 'react/');

t.test('each rule of .oxlintrc.json reports its planted violation, and nothing else', async t => {
  const { rules, overrides } = await readConfiguration<Configuration>('.oxlintrc.json');
  const enabled = [rules, ...overrides.map(override => override.rules)].flatMap(group =>
    Object.keys(group).filter(rule => group[rule] !== 'off'),
  );
  const planted = [...Object.keys(violations), ...Object.keys(componentViolations)];
  t.same([...new Set(enabled)].sort(), planted.sort());

  const files: Record<string, string> = { ...allowed };
  const expected: string[] = [];
  for (const [texts, folder, extension] of [
    [violations, 'gateway', 'ts'],
    [componentViolations, 'clients/console', 'tsx'],
  ] as const) {
    for (const [rule, text] of Object.entries(texts)) {
      const path = toPath(rule, folder, extension);
      files[path] = text;
      for (const each of [rule, ...(further[rule] ?? [])]) expected.push(`${path}: ${each}`);
    }
  }
  files['clients/console/long.tsx'] = `export function Box() {${lines(100)} return <p />; }`;
  expected.push('clients/console/long.tsx: max-lines-per-function');
  const folder = await plant(t, files);
  await linkPackages(folder);

  const { code, text } = await runScript(folder, 'lint', '--format', 'json');
  t.equal(code, 1);
  const { diagnostics } = JSON.parse(text) as Report;
  const found = diagnostics.map(({ filename, code, message }) => `${filename}: ${toRule(code ?? message)}`);
  t.same([...new Set(found)].sort(), expected.sort());
});
