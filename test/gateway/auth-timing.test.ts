/**
 * No answer's time tells who has an account (decisions section 9). The known and the unknown are asked for in turns, so that
 * whatever else the machine does falls on both; a password that is not checked would make a difference of ten times.
 *
 * Not sign-up: the specification has it say `email_in_use`, so its time tells nothing that its status does not. Where nobody may sign
 * up, the policy refuses before anybody looks for an account (auth-policy.test.ts).
 */
import t from 'tap';
import { startTestDatabase } from '../support/database.ts';
import { startAuthNode } from './auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const rounds = 15;
const factor = 3;

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

/** Median milliseconds of a request about a known address, by one about an address of the same form that nobody has. */
async function ratio(path: string, more: Record<string, unknown>, status: number): Promise<number> {
  const { email } = await node.signedUp();
  const addresses = { known: email, unknown: email.replace('user', 'nouser') };
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < rounds; i++) {
    for (const who of i % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const start = performance.now();
      const reply = await node.client().call('POST', path, { body: { email: addresses[who], ...more } });
      times[who].push(performance.now() - start);
      if (reply.status !== status) throw new Error(`${path} answered ${reply.status}`);
    }
  }
  return median(times.known) / median(times.unknown);
}

for (const [path, more, status] of [
  ['/studio/auth/login', { password: 'not this one' }, 401],
  ['/studio/auth/forgot-password', {}, 200],
] as const) {
  t.test(path, async t => {
    const found = await ratio(path, more, status);
    t.ok(found < factor && found > 1 / factor, `${found.toFixed(2)} times as long`);
  });
}
