/**
 * Where a channel belongs, its kind, status and default agent: what every inbound message needs. It is held for a second,
 * so that the inbound path asks neither the database nor the channel's actor. Tenant and kind never change; only status and
 * default agent can be a second old.
 */
import type { ThreadChannel } from '../../actors/thread/index.ts';
import { notFound } from '../../protocol/errors.ts';
import type { Clock } from '../../runtime/time/index.ts';
import { type Database, TtlCache } from '../../storage/database/index.ts';
import { type ChannelHead, findChannelHead } from '../../storage/reads/index.ts';
import type { Call, ProjectScope } from '../pipeline/index.ts';

/** What a thread needs to know of its channel. */
export function toThreadChannel({ channelId, kind, defaultAgentId }: ChannelHead): ThreadChannel {
  return defaultAgentId === null ? { channelId, kind } : { channelId, kind, defaultAgentId };
}

export class ChannelDirectory {
  readonly #heads: TtlCache<ChannelHead, string>;

  constructor(db: Pick<Database, 'query'>, clock: Clock) {
    this.#heads = new TtlCache({ clock, load: (channelId: string) => findChannelHead(db, channelId) });
  }

  /** Undefined where there is no such channel. A value rather than a promise when it is known already. */
  find(channelId: string): ChannelHead | Promise<ChannelHead | undefined> {
    return this.#heads.get(channelId, channelId);
  }

  /** The channel has changed. */
  forget(channelId: string): void {
    this.#heads.invalidate(channelId);
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
