/** Questions to the person at the terminal. Without one there is nobody to ask, and the option that answers is named instead. */
import { text as readText } from 'node:stream/consumers';
import { CliError, exitCodes, SilentExit } from './failures.ts';

export function hasTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** @param instead what to give where there is no terminal: `--email` */
function needTerminal(question: string, instead: string): void {
  if (hasTerminal()) return;
  throw new CliError(`${question}: there is no terminal to ask on.`, exitCodes.usage, `Give ${instead}.`);
}

export async function askText(message: string, instead: string, preset?: string): Promise<string> {
  needTerminal(message, instead);
  const { text } = await import('@clack/prompts');
  const answer = await text({
    message,
    output: process.stderr,
    ...(preset === undefined ? {} : { initialValue: preset }),
    validate: value => (value === undefined || value.trim() === '' ? 'Something is needed here.' : undefined),
  });
  return takeAnswer(answer).trim();
}

export async function askPassword(message: string, instead: string): Promise<string> {
  needTerminal(message, instead);
  const { password } = await import('@clack/prompts');
  return takeAnswer(await password({ message, output: process.stderr }));
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Nothing is asked where there is but one. */
export async function askChoice(
  message: string,
  instead: string,
  choices: readonly Choice[],
): Promise<string> {
  const [only, second] = choices;
  if (only !== undefined && second === undefined) return only.value;
  needTerminal(message, instead);
  const { select } = await import('@clack/prompts');
  return takeAnswer(await select<string>({ message, output: process.stderr, options: [...choices] }));
}

/** Ctrl-C in a question ends the command, and nothing has happened. */
function takeAnswer(answer: string | symbol): string {
  if (typeof answer === 'symbol') throw new SilentExit(exitCodes.interrupted);
  return answer;
}

/** A secret on stdin: the first line. */
export async function readSecret(option: string): Promise<string> {
  const [line = ''] = (await readText(process.stdin)).split(/\r?\n/);
  if (line === '') throw new CliError(`${option}: there is nothing on stdin.`, exitCodes.usage);
  return line;
}
