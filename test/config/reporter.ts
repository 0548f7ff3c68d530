/**
 * A program for the launcher to run. It connects to the test's port (the first argument), says what it is, reports every signal
 * that it gets, and ends only when it is told to, or when the test is gone.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** One line from the program. */
export type Report =
  | { readonly kind: 'started'; readonly pid: number; readonly ppid: number; readonly run: Run }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

/** How the program was run. */
export interface Run {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: readonly string[];
  readonly path: string;
}

/** One line to the program: end with that code, or by that signal. */
export type Order = { readonly code: number } | { readonly signal: NodeJS.Signals };

const [, file = '', port, ...args] = process.argv;
const socket = connect(Number(port), '127.0.0.1');
const report = (line: Report): void => void socket.write(`${JSON.stringify(line)}\n`);

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
for (const signal of signals) process.on(signal, () => report({ kind: 'signal', signal }));

createInterface(socket).on('line', line => {
  const order = JSON.parse(line) as Order;
  if ('code' in order) process.exit(order.code);
  process.removeAllListeners(order.signal);
  process.kill(process.pid, order.signal);
});
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(1));

const path = process.env['PATH'] ?? '';
report({
  kind: 'started',
  pid: process.pid,
  ppid: process.ppid,
  run: { file, args, options: process.execArgv, path },
});
