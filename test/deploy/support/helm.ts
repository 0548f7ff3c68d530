/**
 * What `helm template` makes of `deploy/helm`. Helm is in no registry that the tests may ask, so this renders the part of its templates
 * that the chart keeps to, by the rules of Go's text/template, and refuses everything else:
 *
 *     {{ .Values.a.b }}   {{ .Release.Name }}   either with | quote, or by toYaml and with | nindent 4
 *     {{ if .Values.a }} ... {{ end }}
 *     {{- and -}}, which take the white space before and after
 *
 * A value that values.yaml does not have is an error, where Helm would print nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { parseManifests, type Manifest } from './manifest.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface Release {
  readonly name: string;
  readonly values: Values;
}

export interface Rendered {
  readonly manifests: readonly Manifest[];
  /** Paths of the values that the templates have asked for, like `image.tag`. */
  readonly used: ReadonlySet<string>;
}

export function readValues(folder: string): Values {
  return parse(readFileSync(join(folder, 'values.yaml'), 'utf8'), { version: '1.1' }) as Values;
}

export function renderChart(folder: string, release: Release): Rendered {
  const used = new Set<string>();
  const files = readdirSync(join(folder, 'templates')).sort();
  const manifests = files.flatMap(file => {
    const text = renderTemplate(readFileSync(join(folder, 'templates', file), 'utf8'), release, used);
    return text.trim() === '' ? [] : parseManifests(text, file);
  });
  return { manifests, used };
}

const actions = /\{\{(?<trimBefore>-(?=\s))?\s*(?<code>.*?)\s*(?<trimAfter>(?<=\s)-)?\}\}/gs;

/** @param used is given the paths that were asked for */
function renderTemplate(text: string, release: Release, used: Set<string> = new Set()): string {
  let output = '';
  let at = 0;
  let trims = false;
  /** Of each `if` that is open, whether it and those around it hold. */
  const open: boolean[] = [];
  const take = (to: number, trimEnd: boolean): void => {
    let piece = text.slice(at, to);
    if (trims) piece = piece.trimStart();
    if (trimEnd) piece = piece.trimEnd();
    if (open.at(-1) ?? true) output += piece;
  };
  for (const match of text.matchAll(actions)) {
    const { trimBefore, trimAfter, code = '' } = match.groups ?? {};
    take(match.index, trimBefore !== undefined);
    at = match.index + match[0].length;
    trims = trimAfter !== undefined;
    const condition = /^if (\S+)$/.exec(code)?.[1];
    if (condition !== undefined) {
      const holds = isTrue(evaluate(condition, release, used));
      open.push(holds && (open.at(-1) ?? true));
    } else if (code === 'end') {
      if (open.pop() === undefined) throw new Error('an end without an if');
    } else {
      const value = evaluate(code, release, used);
      if (open.at(-1) ?? true) output += String(value);
    }
  }
  take(text.length, false);
  if (open.length > 0) throw new Error('an if without its end');
  return output;
}

function evaluate(code: string, release: Release, used: Set<string>): unknown {
  const [first = '', ...filters] = code.split('|').map(part => part.trim());
  const [, yaml, path = ''] = /^(toYaml )?\.(\S+)$/.exec(first) ?? fail(code);
  let value = lookUp(path, release, used);
  if (yaml !== undefined) value = stringify(value, { version: '1.1' }).trimEnd();
  for (const filter of filters) {
    const indent = /^nindent (\d+)$/.exec(filter)?.[1];
    if (filter === 'quote') value = JSON.stringify(String(value));
    else if (indent !== undefined)
      value = `\n${String(value).replace(/^(?=.)/gm, ' '.repeat(Number(indent)))}`;
    else fail(code);
  }
  return value;
}

function lookUp(path: string, { name, values }: Release, used: Set<string>): unknown {
  if (path === 'Release.Name') return name;
  const [root, ...steps] = path.split('.');
  if (root !== 'Values' || steps.length === 0) fail(path);
  used.add(steps.join('.'));
  let value: unknown = values;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !(step in value))
      throw new Error(`values.yaml has no ${path}`);
    value = (value as Values)[step];
  }
  return value;
}

/** As Go has it: nothing, zero and what is empty are false. */
function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function fail(code: string): never {
  throw new Error(`{{ ${code} }} is not rendered here`);
}
