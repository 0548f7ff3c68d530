/**
 * `npm run sdk:compare -- OLD [NEW]`: finds what a change of the SDK breaks for the code that uses it. Each of the two is an archive of the package,
 * made by `npm run pack`, or a commit or tag of this repository. NEW defaults to the working copy. The compiler compares both versions by their
 * declarations. Exit code 1 when something breaks.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compile } from './build.ts';

const run = promisify(execFile);
const entries = ['index', 'webhooks'];

export interface Comparison {
  /** Exported names, and fields of exported types, that the new version does not have. */
  readonly removed: readonly string[];
  /** Functions, methods and constants that old code cannot use any more: they take less than before, or return something else. */
  readonly incompatible: readonly string[];
  /** All exported types that differ. Not a break by itself: what breaks by it is in the other lists. */
  readonly changed: readonly string[];
}

/**
 * Types that name what differs between an old and a new type. TypeScript compares parameters of methods in both directions, so that `Breaks`
 * compares parameters by themselves: the new method must accept what the old one accepted.
 */
const comparison = `
type Same<O, N> = (<T>() => T extends O ? 1 : 2) extends (<T>() => T extends N ? 1 : 2) ? true : false;
type Method = (...args: any) => any;
type HasMethods<T> = T extends readonly unknown[] ? false
  : T extends object ? (Extract<T[keyof T], Method> extends never ? false : true) : false;
type Breaks<O, N, P extends string> = Same<O, N> extends true ? never
  : O extends abstract new (...args: infer OA) => infer OI
  ? N extends abstract new (...args: infer NA) => infer NI
    ? (OA extends NA ? never : \`\${P}()\`) | MemberBreaks<OI, NI, P> : P
  : O extends (...args: infer OA) => infer OR
  ? N extends (...args: infer NA) => infer NR
    ? (OA extends NA ? never : P) | ([NR] extends [OR] ? never : P) : P
  : HasMethods<O> extends true ? MemberBreaks<O, N, P>
  : [N] extends [O] ? never : P;
type MemberBreaks<O, N, P extends string> = {
  [K in keyof O & string]-?: K extends keyof N ? Breaks<O[K], N[K], \`\${P}.\${K}\`> : \`\${P}.\${K}\`;
}[keyof O & string];
type TypeBreaks<O, N, P extends string> = HasMethods<O> extends true ? MemberBreaks<O, N, P> : never;
type Keys<T> = T extends object ? keyof T : never;
type Value<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type Lost<O, N, P extends string> = Same<O, N> extends true ? never
  : O extends readonly (infer OE)[] ? (N extends readonly (infer NE)[] ? Lost<OE, NE, \`\${P}[]\`> : never)
  : O extends Method ? never
  : HasMethods<O> extends true ? never
  : O extends object ? {
      [K in keyof O & string]-?: K extends Keys<N> ? Lost<O[K], Value<N, K>, \`\${P}.\${K}\`> : \`\${P}.\${K}\`;
    }[keyof O & string]
  : never;
type Change<O, N, P extends string> = Same<O, N> extends true ? never : P;
`;

/**
 * Compares two versions of the package.
 *
 * @param oldFolder a folder with the package, as `build` writes it
 */
export async function compare(oldFolder: string, newFolder: string): Promise<Comparison> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-sdk-compare-'));
  try {
    await copyDeclarations(oldFolder, join(folder, 'old'));
    await copyDeclarations(newFolder, join(folder, 'new'));
    const removed: string[] = [];
    const parts: string[] = [];
    const imports: string[] = [];
    for (const entry of entries) {
      const [was, is] = [`Old_${entry}`, `New_${entry}`];
      imports.push(
        `import * as ${was} from './old/${entry}.js';`,
        `import * as ${is} from './new/${entry}.js';`,
      );
      parts.push(`MemberBreaks<typeof ${was}, typeof ${is}, 'incompatible ${entry}'>`);
      const now = await listExports(join(folder, 'new'), entry);
      for (const [name, isPlainType] of await listExports(join(folder, 'old'), entry)) {
        const path = `${entry}.${name}`;
        if (!now.has(name)) removed.push(path);
        else if (isPlainType) {
          const both = `${was}.${name}, ${is}.${name}`;
          parts.push(`Lost<${both}, 'removed ${path}'>`);
          parts.push(`TypeBreaks<${both}, 'incompatible ${path}'>`);
          parts.push(`Change<${both}, 'changed ${path}'>`);
        }
      }
    }
    const findings = `export const findings: never = undefined as unknown as\n  | ${parts.join('\n  | ')};`;
    await writeFile(join(folder, 'check.ts'), [...imports, comparison, findings].join('\n'));
    const found = readFindings(await check(folder));
    const list = (kind: string): string[] =>
      found.flatMap(each => (each.startsWith(`${kind} `) ? [each.slice(kind.length + 1)] : []));
    return {
      removed: [...removed, ...list('removed')].sort(),
      // A removed export is not repeated.
      incompatible: list('incompatible').filter(name => !removed.includes(name)),
      changed: list('changed'),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the declarations without private members, by which the compiler would tell equal classes apart. */
async function copyDeclarations(from: string, to: string): Promise<void> {
  const source = join(from, 'dist', 'esm');
  await cp(source, to, { recursive: true, filter: path => !path.endsWith('.js') });
  for (const name of await readdir(to, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = await readFile(join(to, name), 'utf8');
    await writeFile(join(to, name), text.replaceAll(/^ +(?:#private|private .*);\n/gm, ''));
  }
}

/** Returns the names that a file of declarations exports, each with whether it is a type without parameters. */
async function listExports(folder: string, file: string): Promise<ReadonlyMap<string, boolean>> {
  const text = await readFile(join(folder, `${file}.d.ts`), 'utf8');
  const names = new Map<string, boolean>();
  const declared = /^export (?:declare )?(?:abstract )?(class|interface|type|const|function) (\w+)(<)?/gm;
  for (const [, kind = '', name = '', generic] of text.matchAll(declared)) {
    const isPlainType = !['const', 'function'].includes(kind) && generic === undefined;
    names.set(name, isPlainType || names.get(name) === true);
  }
  for (const [, listed = '', from = ''] of text.matchAll(
    /^export (?:type )?(\*|\{[^}]*\}) from '\.\/(.+)\.\w+';/gm,
  )) {
    const theirs = await listExports(folder, from);
    const wanted = listed === '*' ? theirs.keys() : (listed.match(/\b(?!type\b)\w+/g) ?? []);
    for (const name of wanted) names.set(name, theirs.get(name) === true);
  }
  return names;
}

/** Returns what the compiler says about the folder. */
async function check(folder: string): Promise<string> {
  const launcher = fileURLToPath(new URL('../../.config/launch.js', import.meta.url));
  const args = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noErrorTruncation',
    '--skipLibCheck',
  ];
  const platform = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable'];
  return run(process.execPath, [launcher, '--bin', 'tsc', ...args, ...platform, 'check.ts'], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
}

/** Returns the texts that the compiler names in its error. Throws at any other error. */
function readFindings(output: string): string[] {
  const [line = '', ...others] = output.split('\n').filter(each => /^\S/.test(each));
  if (line === '') return [];
  const [, names] =
    /^check\.ts\S+ error TS2322: Type '(".*")' is not assignable to type 'never'\.$/.exec(line) ?? [];
  if (names === undefined || others.length > 0)
    throw new Error(`the declarations cannot be compared:\n${output}`);
  return [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name).sort();
}

/** Unpacks an archive of the package into the folder, or builds the package there: as of a commit, or the working copy. */
async function prepare(version: string | undefined, folder: string): Promise<void> {
  await mkdir(folder);
  if (version === undefined) return compile(join(folder, 'dist', 'esm'));
  if (version.endsWith('.tgz')) {
    await run('tar', ['-xzf', resolve(version), '-C', folder, '--strip-components=1']);
    return;
  }
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const checkout = join(folder, 'checkout');
  await mkdir(checkout);
  const archive = join(folder, 'archive.tar');
  await run('git', ['archive', `--output=${archive}`, version], { cwd: root });
  await run('tar', ['-xf', archive, '-C', checkout]);
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'), 'junction');
  await run(process.execPath, ['.config/launch.js', 'clients/sdk/build.ts', folder], { cwd: checkout });
}

if (import.meta.main) {
  const [old, next] = process.argv.slice(2);
  if (old === undefined) throw new TypeError('name an archive of an earlier version, or a commit');
  const folder = await mkdtemp(join(tmpdir(), 'skein-sdk-'));
  try {
    await Promise.all([prepare(old, join(folder, 'old')), prepare(next, join(folder, 'new'))]);
    const { removed, incompatible, changed } = await compare(join(folder, 'old'), join(folder, 'new'));
    for (const [title, names] of Object.entries({ removed, incompatible, changed })) {
      process.stdout.write(`${title}: ${names.length}\n${names.map(name => `  ${name}\n`).join('')}`);
    }
    process.exitCode = removed.length + incompatible.length > 0 ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
