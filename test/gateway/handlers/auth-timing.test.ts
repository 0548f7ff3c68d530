/**
 * The time of an answer does not reveal which addresses have an account (docs/contract-decisions.md, "Sessions and passwords"). Only password
 * hashing and the database take time. A login hashes for an unknown address, too: both kinds of login cost the same processor time, and a
 * missing hash would make a difference of ten times. A forgotten password hashes nothing: known and unknown addresses run the same
 * statements in the same order.
 *
 * Sign-up is not tested: its status (`email_in_use`) reveals the account anyway.
 */
import t from 'tap';
import { onStatement } from '../../support/sent-statements.ts';
import { shareSkein } from '../../support/skein.ts';
import { createPeople } from './people.ts';

const skein = await shareSkein(t);
const { browser, signUp, mailedToken } = createPeople(skein);
const rounds = 5;
const factor = 3;

/** An address with an account, and one of the same form without. */
async function createAddresses() {
  const { email } = await signUp();
  await mailedToken(email, 'verify');
  return { known: email, unknown: email.replace('guest', 'ghost') };
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;

t.test('a failed login takes the same time', async t => {
  const addresses = await createAddresses();
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < rounds; i++) {
    for (const who of i % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const start = process.cpuUsage();
      t.equal((await browser().logIn(addresses[who], 'not this one')).status, 401);
      const { user, system } = process.cpuUsage(start);
      times[who].push(user + system);
    }
  }
  const ratio = median(times.known) / median(times.unknown);
  t.ok(ratio < factor && ratio > 1 / factor, `${ratio.toFixed(2)} times as much`);
});

/** Statements about accounts that are sent meanwhile, without literals. */
async function getStatements(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const stop = onStatement(({ text, name }) => {
    const isAboutAccounts = /\b(?:users|workspace_members|audit_logs|email_tokens|mails)\b/.test(text);
    // The mail sender polls by itself.
    if (isAboutAccounts && !/^mails\./.test(name))
      statements.push(text.replace(/'(?:[^']|'')*'/g, '?').replace(/\bnull\b/g, '?'));
  });
  try {
    await work();
  } finally {
    stop();
  }
  return statements;
}

t.test('a failed login sends the same statements, and is recorded for members only', async t => {
  const addresses = await createAddresses();
  const fail = (email: string) => () => browser().logIn(email, 'not this one');
  await fail(addresses.known)();
  const known = await getStatements(fail(addresses.known));
  t.strictSame(await getStatements(fail(addresses.unknown)), known);
  t.match(known.join('\n'), /insert into audit_logs/);
  const count = `select from audit_logs where action = 'user.login_failed' and workspace_id is null`;
  t.same(await skein.database.query(count), []);
});

t.test('a forgotten password sends the same statements', async t => {
  const addresses = await createAddresses();
  const forget = (email: string) => () => browser().get('forgotPassword', { body: { email } });
  await forget(addresses.known)();
  const known = await getStatements(forget(addresses.known));
  t.strictSame(await getStatements(forget(addresses.unknown)), known);
  t.match(known.join('\n'), /insert into "mails"[^]*insert into "email_tokens"/);
});
