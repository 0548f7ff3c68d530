/** What the tests of documents read in Markdown: headings with their anchors, links, code spans, tables. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const ignored = /^(node_modules|\.skein|\.tap|\.git)(\/|$)|\/node_modules\//;

/** Files of the repository by a pattern, with slashes, in their order. */
export function repositoryFiles(...patterns: string[]): string[] {
  const found = globSync(patterns, { cwd: root, exclude: name => ignored.test(toSlashes(name)) });
  return found
    .map(toSlashes)
    .filter(path => !ignored.test(path))
    .sort();
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

export interface Link {
  /** As it is written. */
  readonly target: string;
  readonly line: number;
}

export interface Document {
  readonly path: string;
  readonly text: string;
  readonly lineCount: number;
  /** The texts of the headings, without marks. */
  readonly headings: ReadonlySet<string>;
  /** What a link may name behind `#`. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly Link[];
  /** Inline code outside of code blocks. */
  readonly codeSpans: readonly Link[];
}

const documents = new Map<string, Document>();

/** A document by its path in the repository. */
export function readDocument(path: string): Document {
  let found = documents.get(path);
  if (found === undefined) documents.set(path, (found = parseDocument(path)));
  return found;
}

export function documentExists(path: string): boolean {
  return existsSync(join(root, path));
}

let sources: readonly string[] | undefined;

/** Whether the path of a file of the repository is this, or ends with it. */
export function isSourceFile(named: string): boolean {
  sources ??= repositoryFiles('**/*.{ts,js,cjs,mjs,proto,json,md,yaml}', '{.config,.ci}/**');
  return sources.some(path => path === named || path.endsWith(`/${named}`));
}

function parseDocument(path: string): Document {
  const text = readFileSync(join(root, path), 'utf8');
  const headings = new Set<string>();
  const anchors = new Set<string>();
  const links: Link[] = [];
  const codeSpans: Link[] = [];
  const lines = text.split('\n');
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
      continue;
    }
    if (fence !== undefined || /^ {4}/.test(line)) continue;
    const heading = /^#{1,6} +(.*?)(?: +#+)? *$/.exec(line)?.[1];
    if (heading !== undefined) {
      headings.add(plainText(heading));
      addAnchor(anchors, heading);
    }
    for (const [, target = ''] of line.matchAll(/`([^`]+)`/g)) codeSpans.push({ target, line: index + 1 });
    const withoutCode = line.replaceAll(/`[^`]*`/g, '');
    for (const [, target = ''] of withoutCode.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)) {
      links.push({ target, line: index + 1 });
    }
    for (const [, anchor = ''] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(anchor);
  }
  return {
    path,
    text,
    lineCount: text.replace(/\n$/, '').split('\n').length,
    headings,
    anchors,
    links,
    codeSpans,
  };
}

function plainText(heading: string): string {
  return heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*_]/g, '');
}

/** As GitHub makes them: lower case, without punctuation, spaces as hyphens; repetitions are numbered. */
function addAnchor(anchors: Set<string>, heading: string): void {
  const slug = plainText(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');
  let anchor = slug;
  for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
  anchors.add(anchor);
}

/** Where a relative link of a document leads, as a path in the repository; undefined: out of it. */
export function resolveLink(from: string, target: string): string | undefined {
  const path = decodeURIComponent(target);
  const resolved = posix.normalize(path === '' ? from : posix.join(toSlashes(dirname(from)), path));
  return resolved.startsWith('..') ? undefined : resolved;
}

/** The part of a document under a heading, up to the next heading of that level or above it. */
export function section({ path, text }: Document, heading: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex(
    line => /^#+ /.test(line) && plainText(line.replace(/^#+ +/, '')) === heading,
  );
  if (start < 0) throw new Error(`${path} has no heading "${heading}"`);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(line => (/^(#+) /.exec(line)?.[1]?.length ?? Infinity) <= level);
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}

/** The rows of all tables in the text, cell by cell, without their heads. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const isHead = /^\|[\s|:-]+\|$/.test(lines[index + 1] ?? '');
    if (!line.startsWith('|') || isHead || /^\|[\s|:-]+\|$/.test(line)) return [];
    return [
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map(cell => cell.trim()),
    ];
  });
}

/** The code spans of a text. */
export function parseCodeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
