/** Sizes, by gzip, of the parts of an app that a browser loads after the first page. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import './built-apps.ts';

const clients = new URL('../../clients/', import.meta.url);

/** Maximum size of a part without the scripts of the first page. */
export const partBudgetKiB = 150;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: true;
}

export interface Part {
  readonly name: string;
  readonly kib: number;
}

/** Returns the parts, the largest first. */
export async function readParts(app: 'console' | 'studio'): Promise<readonly Part[]> {
  const read = (path: string): Promise<Buffer> => readFile(new URL(`dist/${path}`, clients));
  const manifest = JSON.parse(String(await read(`.vite/${app}.json`))) as Readonly<Record<string, Chunk>>;
  const follow = (first: string): Set<string> => {
    const names = new Set([first]);
    // A set grows while it is walked through.
    for (const name of names) for (const each of manifest[name]?.imports ?? []) names.add(each);
    return names;
  };
  const measure = async (names: Iterable<string>): Promise<number> => {
    const files = await Promise.all([...names].map(name => read(manifest[name]?.file ?? '')));
    return files.reduce((sum, file) => sum + gzipSync(file).length, 0) / 1_024;
  };
  const first = follow(`${app}/index.html`);
  const later = Object.keys(manifest).filter(name => manifest[name]?.isDynamicEntry === true);
  const parts = await Promise.all(
    later.map(async name => ({
      name,
      kib: await measure([...follow(name)].filter(each => !first.has(each))),
    })),
  );
  return parts.sort((a, b) => b.kib - a.kib);
}
