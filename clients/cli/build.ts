/**
 * `node .config/launch.js clients/cli/build.ts FOLDER`: the package as it is published, ready for `npm publish FOLDER`. All code is in one
 * bundle, so that `npx` fetches one archive; NOTICES has the licences of what is in it.
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle, type Metafile } from 'esbuild';

const toPath = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const root = toPath('../../');

const mitLicence = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Writes the package into the folder. */
export async function build(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: [toPath('main.ts')],
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    metafile: true,
    logLevel: 'error',
    // Packages of CommonJS ask for Node's own modules by `require`, which ES modules do not have.
    banner: {
      js: "import{createRequire as skeinRequire}from'node:module';const require=skeinRequire(import.meta.url);",
    },
  });
  await Promise.all([
    writeFile(join(folder, 'NOTICES'), await createNotices(listPackages(metafile))),
    copyFile(toPath('package.json'), join(folder, 'package.json')),
    copyFile(toPath('README.md'), join(folder, 'README.md')),
    copyFile(toPath('../../LICENSE'), join(folder, 'LICENSE')),
  ]);
}

/** The folders of the packages whose code is in the bundle. */
function listPackages({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)].sort();
}

async function createNotices(folders: readonly string[]): Promise<string> {
  const notices = await Promise.all(folders.map(createNotice));
  return `This package contains the following software.\n\n${notices.join('\n')}`;
}

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** Throws where a package has no licence that could be given on. */
async function createNotice(folder: string): Promise<string> {
  const path = join(root, folder);
  const found = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as PackageFile;
  const { name, version, license = 'no licence named' } = found;
  const file = (await readdir(path)).find(each => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? createLicence(found) : await readFile(join(path, file), 'utf8');
  return `${'-'.repeat(72)}\n${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** Of a package that names the MIT licence and leaves out its text. */
function createLicence({ name, version, license, author }: PackageFile): string {
  if (license !== 'MIT') throw new Error(`${name} ${version} has no licence file`);
  const holder = typeof author === 'object' ? author.name : (author ?? `the authors of ${name}`);
  return `Copyright (c) ${holder}\n\n${mitLicence}`;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new TypeError('say into which folder');
  await build(folder);
}
