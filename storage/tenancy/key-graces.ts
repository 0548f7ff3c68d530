/**
 * Writes down what time has done already: a rotating key whose grace has ended counts as revoked everywhere from that instant; here
 * its row comes to say so, with the event and the act of it.
 */
import { LockMode } from '@mikro-orm/core';
import type { Database } from '../database.ts';
import { ApiKey } from '../entities/credentials.ts';
import { appendEvents, type NewEvent } from '../events.ts';
import { recordActs, type NewAct } from '../audit.ts';
import { keyResource } from './api-key-row.ts';

/** Keys of one transaction. */
const piece = 100;
/** Transactions of one round: what is left over waits for the next. */
const rounds = 100;

/** The graces that have ended at `now` (epoch milliseconds). Nodes that do it at once share the work. */
export async function endGraces(db: Pick<Database, 'em'>, now: number): Promise<void> {
  for (let round = 0; round < rounds; round++) if ((await endSome(db, now)) < piece) return;
}

function endSome(db: Pick<Database, 'em'>, now: number): Promise<number> {
  const at = new Date(now);
  return db.em().transactional(async em => {
    const rows = await em.find(
      ApiKey,
      { status: 'rotating', rotationGraceExpiresAt: { $lte: at } },
      { limit: piece, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    for (const row of rows) {
      row.status = 'revoked';
      row.revokedAt = row.rotationGraceExpiresAt ?? at;
      row.updatedAt = at;
    }
    await em.flush();
    const acts = rows.map(({ projectId, environmentId, apiKeyId, name }): NewAct => ({
      ...{ projectId, environmentId, action: 'api_key.revoked', targetId: apiKeyId },
      actor: { type: 'system', id: 'system' },
      details: { name, reason: 'the grace period has ended' },
    }));
    await recordActs(em, acts, now);
    const events = rows.map((row): NewEvent => {
      const { projectId, environmentId } = row;
      const data = { actor: { type: 'system', id: null }, apiKey: keyResource(row, now) };
      return { projectId, environmentId, eventName: 'project.api_key.revoked', data };
    });
    if (events.length > 0) await appendEvents(em, events);
    return rows.length;
  });
}
