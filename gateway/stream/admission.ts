/** Who follows the stream, and by what right. */
import type { EventView } from '../pipeline/index.ts';

export interface Admission {
  readonly projectId: string;
  /** The only environment it may see (API keys); undefined: all of the project's. */
  readonly environmentId: string | undefined;
  /** The events that it may see, by name. */
  readonly view: EventView;
  /** A user with a membership, or else an API key. */
  readonly userId: string | undefined;
  /** The user's roles when the stream was opened (`toRolesKey` of storage/tenancy): `view` follows from them. */
  readonly roles: string | undefined;
  readonly apiKeyId: string | undefined;
  /** The Studio session behind a user's token or ticket. */
  readonly sessionId: string | undefined;
  /** Epoch milliseconds at which the credential expires by itself; Infinity if it does not. */
  readonly expiresAt: number;
}

/** The topic of the frames for all who see the same. */
export function getTopic({ projectId, environmentId, view }: Admission): string {
  return `${environmentId ?? projectId} ${view.id}`;
}
