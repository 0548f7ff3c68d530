/** What a browser loads before an app shows its first page. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import t from 'tap';

const clients = new URL('../../clients/', import.meta.url);
const budgetKiB = 240;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

for (const app of ['console', 'studio']) {
  t.test(`the scripts of the first visit of ${app} keep to their budget`, async t => {
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL('build.js', clients))]);
    const read = (path: string): Promise<Buffer> => readFile(new URL(`dist/${path}`, clients));
    const manifest = JSON.parse(String(await read(`.vite/${app}.json`))) as Readonly<Record<string, Chunk>>;
    const names = new Set([`${app}/index.html`]);
    // A set grows while it is walked through.
    for (const name of names) for (const each of manifest[name]?.imports ?? []) names.add(each);
    const files = await Promise.all([...names].map(name => read(manifest[name]?.file ?? '')));
    const kib = files.reduce((sum, file) => sum + gzipSync(file).length, 0) / 1_024;
    t.ok(kib < budgetKiB, `${kib.toFixed(1)} KiB of ${budgetKiB}, by gzip`);
    t.ok(kib > budgetKiB / 2, 'and they are what is loaded');
  });
}
