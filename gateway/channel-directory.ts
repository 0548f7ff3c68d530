/**
 * Where a channel belongs, of which kind it is and how it stands: what every message that comes in by it needs, held for a second
 * so that the inbound path asks neither the database nor the channel's actor. Place and kind never change; only status and
 * default agent can be a second old.
 */
import type { ChannelOfThread } from '../actors/thread/commands.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from '../storage/database.ts';
import { headOfChannel, type ChannelHead } from '../storage/reads/channels.ts';
import { LookUps } from '../storage/tenancy/look-ups.ts';

/** What a thread is told of its channel. */
export function toldToThread({ channelId, kind, defaultAgentId }: ChannelHead): ChannelOfThread {
  return defaultAgentId === null ? { channelId, kind } : { channelId, kind, defaultAgentId };
}

export class ChannelDirectory {
  readonly #heads: LookUps<ChannelHead, string>;

  constructor(db: Pick<Database, 'query'>, clock: Clock) {
    this.#heads = new LookUps({ clock, ask: (channelId: string) => headOfChannel(db, channelId) });
  }

  /** Undefined where there is no such channel. A value rather than a promise when it is known already. */
  find(channelId: string): ChannelHead | Promise<ChannelHead | undefined> {
    return this.#heads.get(channelId, channelId);
  }

  /** The channel has changed. */
  forget(channelId: string): void {
    this.#heads.forget(channelId);
  }
}
