/** Runs one line of words: finds its command, and turns whatever goes wrong into words and an exit code. */
import { writeSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { Context } from './context.ts';
import { describeFailure, exitCodes, SilentExit } from './failures.ts';
import { toPrintable, toSafeJson } from './output.ts';
import { createProgram, findCommandName, type Runner } from './program.ts';

export async function run(words: readonly string[], version: string): Promise<void> {
  endWithItsOutput();
  if (words.includes('--no-color')) {
    process.env['NO_COLOR'] = '1';
    delete process.env['FORCE_COLOR'];
  }
  const name = findCommandName(words);
  if (name === 'complete' || name === 'completion') {
    const { complete } = await import('./completion.ts');
    return guard(() => complete(words, version));
  }
  const asked = name === 'help' ? words[words.indexOf('help') + 1] : name;
  const program = await createProgram(version, each => each === asked, runCommand);
  // For the help alone: it is run above.
  program
    .command('completion <shell>')
    .description('the script that completes commands at TAB: bash, zsh, fish, powershell');
  await guard(() => program.parseAsync(words, { from: 'user' }));
}

const runCommand: Runner = async (command, context, args, options) => {
  try {
    await command.run(context, args, options);
  } catch (error) {
    report(error, context);
  }
};

/** Usage that is wrong has been said by commander itself. */
async function guard(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  }
}

function report(error: unknown, { output, baseUrl }: Context): void {
  const { exitCode, json, lines } = describeFailure(error, baseUrl);
  process.exitCode = exitCode;
  if (error instanceof SilentExit) return;
  if (output.isJson) output.say(toSafeJson(JSON.stringify(json)));
  else for (const line of lines) output.say(toPrintable(line));
}

/**
 * `skein tail | head`: who reads has had enough. That is no failure; a disk that is full is one. Without a reader of the words the data go on.
 */
function endWithItsOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    writeSync(process.stderr.fd, `The output cannot be written: ${error.message}\n`);
    process.exit(exitCodes.failed);
  });
  process.stderr.on('error', () => undefined);
}
