/** The web apps as they were built (clients/build.js): files with a hash in their name, plain and compressed, and a page for each app. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface BuiltFile {
  readonly contentType: string;
  readonly plain: Uint8Array;
  /** Absent for what is small, or compressed already. */
  readonly br?: Uint8Array;
  readonly gzip?: Uint8Array;
}

export interface BuiltApps {
  /** By name. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
  /** The HTML of each app, by its name. */
  readonly pages: ReadonlyMap<string, string>;
}

/** Undefined where nothing was built. */
export function readBuiltApps(folder: string, apps: readonly string[]): BuiltApps | undefined {
  if (!existsSync(join(folder, 'stamp'))) return undefined;
  const names = readdirSync(join(folder, 'assets'));
  const read = (name: string) => readFileSync(join(folder, 'assets', name));
  const assets = new Map<string, BuiltFile>();
  for (const name of names) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const [br, gzip] = [`${name}.br`, `${name}.gz`].map(each =>
      names.includes(each) ? read(each) : undefined,
    );
    assets.set(name, { contentType, plain: read(name), ...(br && { br }), ...(gzip && { gzip }) });
  }
  const pages = apps.map(app => [app, readFileSync(join(folder, app, 'index.html'), 'utf8')] as const);
  return { assets, pages: new Map(pages) };
}
