/** Proven domains are looked for again: a record that is gone for three days proves nothing any more. */
import t from 'tap';
import { checkDomains } from '../../../gateway/jobs/domain-checks.ts';
import { startTestDatabase } from '../../support/database.ts';

const hourMs = 3_600_000;

t.test('a domain whose record is gone allows no sign-in after three days', async t => {
  const { database } = await startTestDatabase(t);
  const from = Date.parse('2026-11-20T12:00:00.000Z');
  for (const domain of ['kept.example', 'gone.example', 'silent.example']) {
    await database.query(
      `insert into sso_domains (workspace_id, domain, proof, proven_at, required, created_at, updated_at)
       values ('ws_1', $1, 'proof', $2, true, $2, $2)`,
      [domain, new Date(from)],
    );
  }
  const asked: string[] = [];
  let isBack = false;
  const proofs = {
    find: (domain: string) => {
      asked.push(domain);
      if (domain === 'silent.example') return Promise.resolve(undefined);
      return Promise.resolve(domain === 'kept.example' || isBack);
    },
  };
  const look = (hours: number) => checkDomains({ database, proofs }, from + hours * hourMs);
  const read = async () => {
    const rows = await database.query<{ domain: string; required: boolean }>(
      'select domain, required from sso_domains where proven_at is not null order by domain',
    );
    return rows.map(({ domain, required }) => (required ? domain : `${domain} free`));
  };
  await look(23);
  t.strictSame(asked, [], 'once a day');
  await look(24);
  await look(24.5);
  t.strictSame(asked.sort(), ['gone.example', 'kept.example', 'silent.example']);
  isBack = true;
  await look(26);
  isBack = false;
  for (let hours = 60; hours < 60 + 3 * 24; hours++) await look(hours);
  t.strictSame(await read(), ['gone.example', 'kept.example', 'silent.example']);
  await look(60 + 3 * 24);
  t.strictSame(await read(), ['kept.example', 'silent.example'], 'no answer of DNS proves nothing');
  const acts = await database.query(`select action, target_id from audit_logs where workspace_id = 'ws_1'`);
  t.match(acts, [{ action: 'single_sign_on.domain_updated', target_id: 'gone.example' }]);
});
