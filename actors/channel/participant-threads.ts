/**
 * Which thread a participant of a chatapp channel has. The provider calls them by a phone number, by a user id, or by both, and either name
 * may go or change. So a name that is an alias leads to its thread, and a name that is none to the thread that is derived from it. The user id
 * counts first: a phone number may pass to somebody else.
 *
 *   a message by the phone number     derived from it; no alias, until the user id is known as well
 *   a message by the user id          derived from it; the user id is an alias, so that it counts when the number is known later
 *   a message by both                 the thread of either alias, else derived from the number; both are aliases from then on
 *   the names change                  the new ones are aliases of the thread of the old ones
 *   the number of one user id comes   it has passed to somebody else, who gets a thread that is derived from the user id; the number is
 *   with another, unknown one         an alias of that thread from then on
 *
 * Aliases are written with the message that tells them.
 */
import { deriveThreadId } from '../../protocol/ids.ts';
import { type AliasedThread, findAliases, type KnownAlias } from '../../storage/chatapp/index.ts';
import type { Queries } from '../../storage/database/index.ts';
import type { ChannelHead } from '../../storage/reads/index.ts';
import type { ChatappMessage } from '../chatapp/index.ts';

/** A thread, and the names that become aliases of it. */
export interface FoundThread extends AliasedThread {
  readonly aliases: readonly string[];
}

export class ParticipantThreads {
  readonly #channel: ChannelHead;
  readonly #aliases: Map<string, KnownAlias>;

  private constructor(channel: ChannelHead, aliases: ReadonlyMap<string, KnownAlias>) {
    this.#channel = channel;
    this.#aliases = new Map(aliases);
  }

  /** @param names all that will be asked for */
  static async load(
    db: Queries,
    channel: ChannelHead,
    names: readonly string[],
  ): Promise<ParticipantThreads> {
    const aliases = names.length === 0 ? new Map<string, never>() : await findAliases(db, channel, names);
    return new ParticipantThreads(channel, aliases);
  }

  /** The thread of a message. Asked in the order of the messages: what one tells is known for the next. */
  find({
    participant: { phone, userId },
    newNames,
  }: Pick<ChatappMessage, 'participant' | 'newNames'>): FoundThread {
    const { threadId, externalRef } = this.#findThread(phone, userId);
    const thread = { threadId, externalRef };
    const names = userId === null ? [] : [userId, phone];
    const aliases = [...names, newNames?.userId, newNames?.phone]
      .filter(name => typeof name === 'string')
      .filter(name => this.#aliases.get(name)?.threadId !== thread.threadId);
    const hasUserId = userId !== null || (newNames?.userId ?? null) !== null;
    for (const alias of aliases) this.#aliases.set(alias, { ...thread, hasUserId });
    return { ...thread, aliases };
  }

  #findThread(phone: string | null, userId: string | null): AliasedThread {
    const known = this.#findAlias(userId);
    if (known !== undefined) return known;
    const ofNumber = this.#findAlias(phone);
    if (ofNumber === undefined) return this.#derive(phone ?? userId ?? '');
    return userId !== null && ofNumber.hasUserId ? this.#derive(userId) : ofNumber;
  }

  #findAlias(name: string | null): KnownAlias | undefined {
    return name === null ? undefined : this.#aliases.get(name);
  }

  #derive(externalRef: string): AliasedThread {
    const { environmentId, channelId } = this.#channel;
    return { threadId: deriveThreadId(environmentId, channelId, externalRef), externalRef };
  }
}
