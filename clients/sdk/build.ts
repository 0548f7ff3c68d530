/**
 * `node .config/launch.js clients/sdk/build.ts FOLDER`: the package as it is published, ready for `npm publish FOLDER`. The compiler alone makes
 * it, once as ES modules and once as CommonJS.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const toPath = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Beside those of tsconfig.json, for each kind of modules. */
const compilerOptions = {
  esm: [],
  cjs: ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
};

/** Writes the package into the folder. Rejects when the compiler complains; it says of what on the standard output. */
export async function build(folder: string): Promise<void> {
  const cjs = join(folder, 'dist', 'cjs');
  await mkdir(cjs, { recursive: true });
  await Promise.all([
    compile(join(folder, 'dist', 'esm'), compilerOptions.esm),
    compile(cjs, compilerOptions.cjs),
    // The package is one of ES modules; this part of it is not.
    writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n'),
    copyFile(toPath('package.json'), join(folder, 'package.json')),
    copyFile(toPath('README.md'), join(folder, 'README.md')),
    copyFile(toPath('../../LICENSE'), join(folder, 'LICENSE')),
  ]);
}

/** Writes the ES modules and their declarations into the folder, or by other options another kind of modules. */
export async function compile(
  outDir: string,
  options: readonly string[] = compilerOptions.esm,
): Promise<void> {
  const launcher = toPath('../../.config/launch.js');
  const args = [launcher, '--bin', 'tsc', '-p', toPath('tsconfig.json'), '--outDir', outDir, ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the compiler ended with ${code}`);
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new TypeError('say into which folder');
  await build(folder);
}
