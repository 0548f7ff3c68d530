/** How commands are declared. A family has commands, and so its file reads as a table of them. */
import { Option } from 'commander';
import type { Listing, Skein } from '../sdk/index.ts';
import type { Context } from './context.ts';
import { parseCount } from './durations.ts';
import type { Column } from './output.ts';

/** How this program was called: in its repository it is no command of the shell. */
export const programName = process.env['SKEIN_PROGRAM'] ?? 'skein';

export interface CommandDefinition {
  /** With its arguments: `show <threadId>`. */
  readonly usage: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** Written below the help. */
  readonly examples?: string | undefined;
  /** What completion offers for the first argument. */
  readonly choices?: (() => readonly string[]) | undefined;
  /** Whether `--help` is one of its own options. */
  readonly hasOwnHelp?: boolean | undefined;
  readonly run: (context: Context, args: readonly string[], options: object) => Promise<void>;
}

/** A word with commands behind it. */
export interface Family {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly CommandDefinition[];
}

interface Declared<Options> extends Omit<CommandDefinition, 'options' | 'run'> {
  readonly options?: readonly Option[];
  readonly run: (context: Context, args: readonly string[], options: Options) => Promise<void>;
}

/** A command whose options are of that type. Commander has checked them by then. */
export function defineCommand<Options extends object = object>({
  options = [],
  run,
  ...definition
}: Declared<Options>): CommandDefinition {
  return { ...definition, options, run: (context, args, given) => run(context, args, given as Options) };
}

interface OptionRules {
  readonly choices?: readonly string[];
  readonly parse?: (text: string, before?: never) => unknown;
  readonly preset?: unknown;
  readonly isRequired?: boolean;
}

export function option(flags: string, description: string, rules: OptionRules = {}): Option {
  const declared = new Option(flags, description);
  if (rules.choices !== undefined) declared.choices(rules.choices);
  if (rules.parse !== undefined) declared.argParser(rules.parse as (text: string) => unknown);
  if (rules.preset !== undefined) declared.default(rules.preset);
  return declared.makeOptionMandatory(rules.isRequired === true);
}

/** How much of a list. */
export interface ListOptions {
  readonly limit: number;
  readonly all?: boolean;
}

const listOptions = [
  option('--limit <count>', 'how many items', { parse: parseCount(1), preset: 50 }),
  option('--all', 'all items'),
];

interface ListCommand<T, Options> extends Omit<Declared<Options>, 'run'> {
  readonly columns: readonly Column<T>[];
  readonly list: (skein: Skein, args: readonly string[], options: Options) => Listing<T>;
  /** Whether no key may do it. */
  readonly needsSignIn?: boolean;
}

/** A command that prints a list. */
export function defineList<T, Options extends object = object>({
  columns,
  list,
  needsSignIn = false,
  options = [],
  ...definition
}: ListCommand<T, Options>): CommandDefinition {
  return defineCommand<Options & ListOptions>({
    ...definition,
    options: [...options, ...listOptions],
    async run(context, args, given) {
      const skein = await (needsSignIn ? context.connectSignedIn() : context.connect());
      const limit = given.all === true ? Infinity : given.limit;
      await context.output.list(take(list(skein, args, given), limit), columns);
    },
  });
}

/** The first items. Pages are asked for as they are needed. */
export async function* take<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    if (++taken >= limit) return;
  }
}

interface AskCommand<T extends object, Options> extends Omit<Declared<Options>, 'run'> {
  readonly ask: (skein: Skein, args: readonly string[], options: Options) => Promise<T>;
  /** What of the answer people see; JSON has all of it. Default: everything. */
  readonly fields?: (answer: T) => Readonly<Record<string, unknown>>;
  readonly needsSignIn?: boolean;
}

/** A command that asks once, and prints the answer. */
export function defineAsk<T extends object, Options extends object = object>({
  ask,
  fields,
  needsSignIn = false,
  ...definition
}: AskCommand<T, Options>): CommandDefinition {
  return defineCommand<Options>({
    ...definition,
    async run(context, args, options) {
      const skein = await (needsSignIn ? context.connectSignedIn() : context.connect());
      const answer = await ask(skein, args, options);
      context.output.fields(answer, fields?.(answer));
    },
  });
}
