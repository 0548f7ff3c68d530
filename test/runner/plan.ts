/** Which test files run, in which order, and which of them need a process of their own. */
import { globSync } from 'node:fs';

export interface RunOptions {
  /** `quick`: `npm test`. `rest`: what `npm run test:all` adds. */
  readonly level: 'quick' | 'rest' | 'all';
  /** Part `index` of `count`, from 1. */
  readonly shard: { readonly index: number; readonly count: number };
  /** Files or patterns; empty for the whole level. */
  readonly named: readonly string[];
}

export interface PlannedFile {
  readonly file: string;
  /** Runs in a process of its own. */
  readonly isAlone: boolean;
}

const usage = 'usage: npm run tap -- [--all | --rest] [--shard=INDEX/COUNT] [FILE ...]';
const fullSuffix = '.full.test.ts';

/** Files that kill, configure or restart processes, or read what their process has in total. */
const unshared: readonly RegExp[] = [
  /^test\/(?:cluster|config|deploy|docs)\//,
  /^test\/chatapp\/(?:overload|send-kill)\./,
  /^test\/examples\/(?:snippets|stream-follower|token-aware-client)\./,
  /^test\/node\/(?:agents|conversation|database|drain|failover|kill|retry-in-flight)\./,
  // They replace timers and other globals.
  /^test\/clients\/(?:sdk\/(?:call|stream|uploads)|kit\/requests)\.test\.ts$/,
  /^test\/gateway\/http\/close\.test\.ts$/,
  /^test\/storage\/backup\//,
  /^test\/security\/.*\.full\.test\.ts$/,
];
/** Files that wait more than they compute. They run beside those that compute. */
const waiting = /^test\/(?:cluster|node|chatapp)\//;
/** Areas with long files come first: a long file must not start when all others have ended. */
const longestFirst: readonly RegExp[] = [
  /^test\/contract\/isolation/,
  /^test\/contract\//,
  /^test\/simulation\//,
  /^test\/clients\//,
];

/** @throws {RangeError} for an unknown option */
export function parseArguments(args: readonly string[]): RunOptions {
  let level: RunOptions['level'] = 'quick';
  let shard = { index: 1, count: 1 };
  const named: string[] = [];
  for (const argument of args) {
    const [, index, count] = /^--shard=(\d+)\/(\d+)$/.exec(argument) ?? [];
    if (argument === '--all' || argument === '--rest') level = argument === '--all' ? 'all' : 'rest';
    else if (index !== undefined && count !== undefined)
      shard = { index: Number(index), count: Number(count) };
    else if (argument.startsWith('-')) throw new RangeError(`${argument} is not an option; ${usage}`);
    else named.push(argument);
  }
  if (shard.index < 1 || shard.index > shard.count) throw new RangeError(`there is no such shard; ${usage}`);
  return { level, shard, named };
}

/** Returns the paths of the files to run. @throws {RangeError} when a name matches no file */
function findFiles({ level, named }: RunOptions): string[] {
  if (named.length === 0) {
    const files = globSync('test/**/*.test.ts');
    return files.filter(file => level === 'all' || file.endsWith(fullSuffix) === (level === 'rest'));
  }
  const files = named.flatMap(name => {
    const found = globSync(name);
    if (found.length === 0) throw new RangeError(`no test file matches ${name}`);
    return found;
  });
  return [...new Set(files)];
}

const getRank = (file: string): number => longestFirst.findIndex(area => area.test(file)) >>> 0;

/** Gives each lane its next file. Even lanes prefer files that wait, odd ones files that compute. */
export function createQueue(options: RunOptions): { take(lane: number): PlannedFile | undefined } {
  const { index, count } = options.shard;
  const files = findFiles(options)
    .sort((a, b) => getRank(a) - getRank(b) || a.localeCompare(b))
    .filter((_, at) => at % count === index - 1);
  const queues = [true, false].map(waits => files.filter(file => waiting.test(file) === waits)) as [
    string[],
    string[],
  ];
  return {
    take(lane) {
      const [first, second] = lane % 2 === 0 ? queues : [queues[1], queues[0]];
      const file = first.shift() ?? second.shift();
      return file === undefined ? undefined : { file, isAlone: unshared.some(each => each.test(file)) };
    },
  };
}
