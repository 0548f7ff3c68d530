/** What a stitch's tasks work with. */
import type { Log, Tracer } from '../../runtime/observability/index.ts';
import type { OutboundRequest, OutboundResult } from '../../runtime/outbound/index.ts';
import type { Clock, Random } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { FollowedLog } from '../../storage/deliveries/index.ts';
import type { ProjectAccount } from '../../storage/tenancy/index.ts';
import type { StitchMetrics } from './metrics.ts';
import type { OwnerNotification } from './state.ts';

/** The rates of webhooks to public hosts. */
export interface HostRates {
  /** Finds the account that answers for a project. */
  findAccount(projectId: string): ProjectAccount | Promise<ProjectAccount>;
  /**
   * Takes one request of an account to a host. Returns 0 if it was taken, or the milliseconds to wait before the next try.
   *
   * @param name `webhooksUnverified` for an account without a verified address
   */
  take(name: 'webhooks' | 'webhooksUnverified', account: string, host: string): number | Promise<number>;
}

export interface StitchServices {
  readonly db: Pick<Database, 'query'>;
  readonly followedLog: FollowedLog;
  /** A queue of the node's pool. `withdrawn` ends a request that waits for its turn, and not one that is in flight. */
  readonly pool: {
    send(
      request: OutboundRequest,
      owner: string,
      signal?: undefined,
      withdrawn?: AbortSignal,
    ): Promise<OutboundResult>;
  };
  readonly vault: { open(context: string, jwe: string): Promise<string> };
  /** Projects that nothing is sent for. */
  readonly archived: { has(projectId: string): boolean | Promise<boolean> };
  /** Absent: webhooks have no rate. */
  readonly hostRates?: HostRates;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absent: nothing is measured. */
  readonly metrics?: StitchMetrics;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** How long a whole attempt may take, in milliseconds. Default 15,000. */
  readonly attemptTimeoutMs?: number;
  /** Calls back at the end of this turn of the event loop. Default: `setImmediate`. */
  readonly atTurnEnd?: (callback: () => void) => void;
  /** Mails the owner of a stitch that has stopped by itself: once, however often it is called. A rejection is retried. */
  notifyOwner(notification: OwnerNotification): Promise<void>;
}

/** The context in which a stitch's secret is sealed. */
export function getSecretContext(stitchId: string): string {
  return `stitches/${stitchId}/secret`;
}
