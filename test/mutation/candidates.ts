/**
 * Finds places where a small change breaks the code: a comparison turned round, a condition negated, a call left out. Works on lines, because
 * the formatter sets spaces round every operator. Comments and imports are left alone; SQL in templates is changed as well.
 */
import { globSync, readFileSync } from 'node:fs';
import { seeded } from '../support/seeded.ts';

export interface Mutation {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Position in the text of the file, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
}

/** A pattern, and what replaces its match. */
const operators: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < (?=\S)/g, ' <= '],
  [/ <= /g, ' < '],
  [/ > (?=\S)/g, ' >= '],
  [/ >= /g, ' > '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/\bif \(/g, 'if (!!1 || '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=\breturn )(?!undefined)\S[^;]*(?=;$)/g, 'undefined as never'],
  // A statement that only calls.
  [/(?<=^ +)(?:await |void )?(?:this\.)?[\w#.]+\(.*\);$/g, ';'],
];
const isLeftAlone = (line: string): boolean =>
  /^\s*(?:\*|\/\/|\/\*|import |export (?:type|interface)|readonly |private |type |declare )/.test(line);

/** Returns every mutation of the files that match the patterns. */
export function findMutations(patterns: readonly string[]): Mutation[] {
  const files = patterns.flatMap(pattern => globSync(pattern)).sort();
  return files.flatMap(file => findIn(file, readFileSync(file, 'utf8')));
}

function findIn(file: string, text: string): Mutation[] {
  const found: Mutation[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    if (!isLeftAlone(line)) {
      for (const [pattern, replacement] of operators) {
        for (const { index, 0: match } of line.matchAll(pattern)) {
          found.push({ file, from: at + index, to: at + index + match.length, replacement });
        }
      }
    }
    at += line.length + 1;
  }
  return found;
}

/** Picks `count` of them at random, the same for the same seed and code. */
export function pick(mutations: readonly Mutation[], count: number, seed: number): Mutation[] {
  const random = seeded(seed);
  const left = [...mutations];
  const picked: Mutation[] = [];
  while (picked.length < count && left.length > 0) {
    picked.push(...left.splice(Math.floor(random.next() * left.length), 1));
  }
  return picked;
}
