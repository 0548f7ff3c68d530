/**
 * The time of an answer does not tell who has an account (docs/contract-decisions.md, "Sessions and passwords"). What takes time is the
 * hashing of a password, and the database. A login hashes for an unknown address, too: the test asks for known and unknown addresses in
 * turns, and both cost this process the same processor time. A password that is not checked would make a difference of ten times. A
 * forgotten password hashes nothing: known and unknown addresses run the same statements, in the same order, on rows of the same form,
 * and one mail is sealed for each.
 *
 * Not sign-up: it answers `email_in_use`, so its time tells nothing that its status does not. Where nobody may sign
 * up, the policy refuses before anybody looks for an account (test/gateway/auth/sign-up-policy.test.ts).
 */
import t from 'tap';
import { startTestDatabase } from '../../support/database.ts';
import { onStatement } from '../../support/sent-statements.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const rounds = 5;
const factor = 3;

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

/** Median processor time of a request about a known address, by one about an address of the same form that nobody has. */
async function ratio(path: string, more: Record<string, unknown>, status: number): Promise<number> {
  const { email } = await node.signedUp();
  const addresses = { known: email, unknown: email.replace('user', 'nouser') };
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < rounds; i++) {
    for (const who of i % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const start = process.cpuUsage();
      const reply = await node.client().call('POST', path, { body: { email: addresses[who], ...more } });
      const { user, system } = process.cpuUsage(start);
      times[who].push(user + system);
      if (reply.status !== status) throw new Error(`${path} answered ${reply.status}`);
    }
  }
  return median(times.known) / median(times.unknown);
}

t.test('a login', async t => {
  const found = await ratio('/studio/auth/login', { password: 'not this one' }, 401);
  t.ok(found < factor && found > 1 / factor, `${found.toFixed(2)} times as much`);
});

/** What is sent to the database meanwhile, without the values that stand in the texts. */
async function getStatements(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const stop = onStatement(({ text, name }) => {
    // What sends the mails comes round by itself, and after the answer; the pool may open a connection at any time, and asks it where it is.
    if (!/^mails\./.test(name) && !text.includes('pg_is_in_recovery()'))
      statements.push(text.replace(/'(?:[^']|'')*'/g, '?').replace(/\bnull\b/g, '?'));
  });
  try {
    await work();
  } finally {
    stop();
  }
  return statements;
}

t.test('what a failed login leaves in the log of its workspaces', async t => {
  const { email } = await node.signedUp();
  const fail = (address: string) => async (): Promise<void> => {
    const body = { email: address, password: 'not this one' };
    t.equal((await node.client().call('POST', '/studio/auth/login', { body })).status, 401);
  };
  const unknownAddress = email.replace('user', 'nouser');
  await fail(email)();
  const known = await getStatements(fail(email));
  const count = `select count(*)::int as count from audit_logs where action = 'user.login_failed' and workspace_id is null`;
  const unknown = await getStatements(fail(unknownAddress));
  t.strictSame(unknown, known);
  t.match(known.join('\n'), /begin[^]*insert into audit_logs[^]*commit/);
  t.strictSame(await db.query(count), [{ count: 0 }], 'of nobody, nothing stays');
});

t.test('a forgotten password', async t => {
  const { email } = await node.signedUp();
  await node.tokenTo(email, 'verify');
  const forget = (address: string) => async (): Promise<void> => {
    const { status } = await node
      .client()
      .call('POST', '/studio/auth/forgot-password', { body: { email: address } });
    t.equal(status, 200);
  };
  await forget(email)();
  const known = await getStatements(forget(email));
  const unknown = await getStatements(forget(email.replace('user', 'nouser')));
  t.strictSame(unknown, known);
  t.match(known.join('\n'), /begin[^]*insert into "mails"[^]*insert into "email_tokens"[^]*commit/);
});
