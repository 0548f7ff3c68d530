/** What a stitch's tasks work with. */
import type { Clock, Random } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import type { OutboundRequest, OutboundResult } from '../../../runtime/pool/messages.ts';
import type { Database } from '../../../storage/database.ts';
import type { OwnerNews } from '../state.ts';

export interface StitchServices {
  readonly db: Pick<Database, 'query'>;
  /** The node's pool. */
  readonly pool: { send(request: OutboundRequest): Promise<OutboundResult> };
  readonly vault: { open(context: string, jwe: string): Promise<string> };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The whole of an attempt, in milliseconds. Default 15,000 (decisions, section 6). */
  readonly attemptTimeoutMs?: number;
  /** E-mails the owner of a stitch that has stopped by itself: once, however often it is told. A rejection is retried. */
  tellOwner(news: OwnerNews): Promise<void>;
}

/** Where a stitch's secret lies, as its seal names it. */
export function secretContext(stitchId: string): string {
  return `stitches/${stitchId}/secret`;
}
