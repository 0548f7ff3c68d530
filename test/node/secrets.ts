/** What nobody may find in a log. */
import type { Test } from 'tap';
import type { Line } from './client.ts';

/** None of the secrets that went over the line, nor of `more`, is in the node's output. */
export function keepsSecrets(t: Test, output: string, line: Line, more: readonly string[] = []): void {
  const secrets = [...line.secrets, ...more];
  const lines = output.split('\n');
  const told = secrets.flatMap(secret => lines.filter(text => text.includes(secret)));
  t.ok(secrets.length > 0, 'there were secrets');
  t.same(told, [], 'the log holds none of them');
}
