/** Questions to the person at the terminal. Without one there is nobody to ask, and the option that answers is named instead. */
import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
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
  const answer = text({
    message,
    output: process.stderr,
    ...(preset === undefined ? {} : { initialValue: preset }),
    validate: value => (value === undefined || value.trim() === '' ? 'Something is needed here.' : undefined),
  });
  return (await takeAnswer(answer)).trim();
}

/** @param least characters that it has */
export async function askPassword(message: string, instead: string, least = 1): Promise<string> {
  needTerminal(message, instead);
  const { password } = await import('@clack/prompts');
  const validate = (value = ''): string | undefined =>
    value.length < least ? `It has ${least} characters or more.` : undefined;
  return takeAnswer(password({ message, output: process.stderr, validate }));
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
  return takeAnswer(select<string>({ message, output: process.stderr, options: [...choices] }));
}

/**
 * Ctrl-C in a question ends the command, and nothing has happened. So does Ctrl-D: the question is then never answered, and Node is about to
 * end for want of anything to do.
 */
async function takeAnswer(asked: Promise<string | symbol>): Promise<string> {
  const { promise: idle, resolve } = Promise.withResolvers<symbol>();
  const giveUp = (): void => resolve(Symbol('idle'));
  process.once('beforeExit', giveUp);
  const answer = await Promise.race([asked, idle]);
  process.off('beforeExit', giveUp);
  if (typeof answer === 'symbol') throw new SilentExit(exitCodes.interrupted);
  return answer;
}

/** @throws {CliError} it is no text: what cannot be read would become another character */
export async function readStdin(): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (!isUtf8(bytes)) throw new CliError('What is on stdin is not UTF-8.', exitCodes.usage);
  return bytes.toString();
}

/** A secret on stdin: the first line. */
export async function readSecret(option: string): Promise<string> {
  const [line = ''] = (await readStdin()).split(/\r?\n/);
  if (line === '') throw new CliError(`${option}: there is nothing on stdin.`, exitCodes.usage);
  return line;
}
