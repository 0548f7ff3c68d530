/**
 * Where a channel belongs, its kind, status and default agent: what every inbound message needs. It is held for a second,
 * so that the inbound path asks neither the database nor the channel's actor. Tenant and kind never change. A change by request counts at
 * once: it is answered when no node holds the channel as it was before.
 */
import type { ThreadChannel } from '../../actors/thread/index.ts';
import { notFound } from '../../protocol/errors.ts';
import { type Clock, pause } from '../../runtime/time/index.ts';
import { type Database, TtlCache } from '../../storage/database/index.ts';
import { type ChannelHead, findChannelHead } from '../../storage/reads/index.ts';
import type { Call, ProjectScope } from '../pipeline/index.ts';

/** What a thread needs to know of its channel. */
export function toThreadChannel({ channelId, kind, defaultAgentId }: ChannelHead): ThreadChannel {
  return defaultAgentId === null ? { channelId, kind } : { channelId, kind, defaultAgentId };
}

/** How long a node holds what it has read, in milliseconds. */
const heldMs = 1_000;

export class ChannelDirectory {
  readonly #heads: TtlCache<ChannelHead, string>;
  readonly #clock: Clock;
  readonly #isAlone: boolean;

  /** @param isAlone no other node works on the database */
  constructor(db: Pick<Database, 'query'>, clock: Clock, isAlone = true) {
    this.#clock = clock;
    this.#isAlone = isAlone;
    const load = (channelId: string) => findChannelHead(db, channelId);
    this.#heads = new TtlCache({ clock, maxAgeMs: heldMs, load });
  }

  /** Undefined where there is no such channel. A value rather than a promise when it is known already. */
  find(channelId: string): ChannelHead | Promise<ChannelHead | undefined> {
    return this.#heads.get(channelId, channelId);
  }

  /** The channel has changed. Resolves when no node holds what it has read before: this one at once, the others after a second. */
  async forget(channelId: string): Promise<void> {
    this.#heads.invalidate(channelId);
    if (!this.#isAlone) await pause(this.#clock, heldMs);
  }
}

/** Rejects with 404 where the channel is not there or not the caller's. */
export async function requireChannel(
  call: Pick<Call, 'caller' | 'project' | 'authoriseScope'>,
  directory: ChannelDirectory,
  channelId: string,
): Promise<{ readonly channel: ChannelHead; readonly scope: ProjectScope }> {
  const found = directory.find(channelId);
  const channel = found instanceof Promise ? await found : found;
  if (channel === undefined) throw notFound();
  const { caller, project } = call;
  // A key or a service in the channel's own environment: nothing is left to check.
  const isWithin =
    caller?.type !== 'user' &&
    project?.projectId === channel.projectId &&
    project.environmentId === channel.environmentId;
  const scope = isWithin ? project : await call.authoriseScope(channel.projectId, channel.environmentId);
  return { channel, scope };
}
