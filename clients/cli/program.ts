/** The commands by their names, and the program that commander runs. Only the command that was asked for is loaded. */
import { Command } from 'commander';
import { option, type CommandDefinition, type Family } from './command.ts';
import { Context, type GlobalOptions } from './context.ts';

interface CommandEntry {
  readonly description: string;
  readonly load: () => Promise<Family | CommandDefinition>;
}

/** In the order of the help. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  init: {
    description: 'make this folder ready: an account, a key in .env, a first message',
    load: async () => (await import('./commands/init.ts')).init,
  },
  login: {
    description: 'sign in, and keep a key for this machine',
    load: async () => (await import('./commands/login.ts')).login,
  },
  logout: {
    description: 'revoke that key, and sign out',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
  whoami: {
    description: 'which credential is used, and what it may do',
    load: async () => (await import('./commands/whoami.ts')).whoami,
  },
  profiles: {
    description: 'the credentials of this machine',
    load: async () => (await import('./commands/profiles.ts')).profiles,
  },
  doctor: {
    description: 'find out what is wrong',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  listen: {
    description: 'forward events to an address on this machine, signed like webhooks',
    load: async () => (await import('./commands/listen.ts')).listen,
  },
  tail: {
    description: 'follow events as they happen',
    load: async () => (await import('./commands/tail.ts')).tail,
  },
  trigger: {
    description: 'make something happen on a sandbox channel',
    load: async () => (await import('./commands/trigger.ts')).trigger,
  },
  chat: {
    description: 'be the customer of a sandbox channel',
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  threads: {
    description: 'list, show, answer, close',
    load: async () => (await import('./commands/threads.ts')).threads,
  },
  messages: {
    description: 'list; all that happened to one',
    load: async () => (await import('./commands/messages.ts')).messages,
  },
  stitches: {
    description: 'webhooks: list, create, test, rotate their secret, replay',
    load: async () => (await import('./commands/stitches.ts')).stitches,
  },
  deliveries: {
    description: 'what became of each webhook: list, show, replay',
    load: async () => (await import('./commands/deliveries.ts')).deliveries,
  },
  events: {
    description: 'the catalogue of events',
    load: async () => (await import('./commands/events.ts')).events,
  },
  keys: {
    description: 'API keys: list, create, rotate, revoke',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  'dead-letters': {
    description: 'work that the service gave up: list, run again, delete; for its operators',
    load: async () => (await import('./commands/dead-letters.ts')).deadLetters,
  },
  api: {
    description: 'any operation of the API by its id',
    load: async () => (await import('./commands/api.ts')).api,
  },
  openapi: {
    description: "the server's OpenAPI document",
    load: async () => (await import('./commands/openapi.ts')).openapi,
  },
};

const globalOptions = [
  option('--profile <name>', 'the profile to use'),
  option('--base-url <url>', 'the address of the server'),
  option('--project <id>', 'the project'),
  option('--environment <id>', 'the environment'),
  option('--json', 'JSON: one object, or one a line'),
  option('--no-color', 'no colours'),
  option('--verbose', 'a line on stderr for each request'),
];

/** How a command is run, by whoever has parsed the line. */
export type Runner = (
  command: CommandDefinition,
  context: Context,
  args: readonly string[],
  own: object,
) => Promise<void>;

/**
 * @param loaded whose options are known; of the others only the names
 * @param runner runs the command that the line names
 */
export async function createProgram(
  version: string,
  loaded: (name: string) => boolean,
  runner: Runner,
): Promise<Command> {
  const program = new Command('skein')
    .description('Skein on the command line. Data go to stdout, words to stderr.')
    .version(version, '-V, --version')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .addHelpText(
      'after',
      '\nDocumentation: docs/guide/cli.md. Exit codes: 0 done, 1 failed, 2 wrong usage, 4 credential, 5 no answer, 6 rate limit.',
    );
  for (const each of globalOptions) program.addOption(each);
  for (const [name, { description, load }] of Object.entries(commands)) {
    if (!loaded(name)) program.command(name).description(description);
    else addLoaded(program, description, await load(), version, runner);
  }
  return program;
}

function addLoaded(
  program: Command,
  description: string,
  loaded: Family | CommandDefinition,
  version: string,
  runner: Runner,
): void {
  if (!('commands' in loaded)) return addCommand(program, loaded, version, runner);
  const family = program.command(loaded.name).description(description);
  for (const command of loaded.commands) addCommand(family, command, version, runner);
}

function addCommand(parent: Command, definition: CommandDefinition, version: string, runner: Runner): void {
  const command = parent.command(definition.usage).description(definition.description);
  for (const each of definition.options) command.addOption(each);
  if (definition.examples !== undefined) command.addHelpText('after', `\nExamples:\n${definition.examples}`);
  if (definition.hasOwnHelp === true) command.helpOption(false);
  command.action(async () => {
    const context = new Context(command.optsWithGlobals<GlobalOptions>(), version);
    await runner(definition, context, command.args, command.opts());
  });
}

/** The first word that is no option: the name of the command. undefined where there is none. */
export function findCommandName(words: readonly string[]): string | undefined {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') return undefined;
    if (!word.startsWith('-')) return word;
    const takesValue = globalOptions.some(each => each.long === word && each.required);
    if (takesValue) index++;
  }
  return undefined;
}
