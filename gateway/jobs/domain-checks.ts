/** Looks for the records of proven domains again, once a day (storage/sso/domain-checks.ts). */
import type { Database } from '../../storage/database/index.ts';
import { DomainChecks } from '../../storage/sso/index.ts';
import type { DomainProofs } from '../sso/index.ts';

/** Domains of one sweep: with one each minute, 144,000 a day. */
const maxDomains = 100;

export interface DomainCheckOptions {
  readonly database: Database;
  readonly proofs: Pick<DomainProofs, 'find'>;
}

/** @param isWanted false ends the sweep early; the next one goes on */
export async function checkDomains(
  { database, proofs }: DomainCheckOptions,
  now: number,
  isWanted: () => boolean = () => true,
): Promise<void> {
  const checks = new DomainChecks(database);
  for (const due of await checks.listDue(now, maxDomains)) {
    if (!isWanted()) return;
    await checks.record(due, await proofs.find(due.domain, due.proof), now);
  }
}
