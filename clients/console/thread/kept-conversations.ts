/**
 * The conversations of each environment that was worked in, as long as the session lasts. What waits in one of them is sent wherever its
 * operator looks meanwhile.
 */
import { createOperatorClient, session } from '../../kit/browser-session.ts';
import { describeError } from '../../kit/error-texts.ts';
import { createRandomKey } from '../../kit/random-key.ts';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import { Drafts } from '../composer/drafts.ts';
import type { Outgoing } from '../composer/outbox.ts';
import { toOutboxKey, type OutboxScope } from '../composer/unsent.ts';
import { Conversations } from './conversations.ts';
import { UnseenMessages } from './unseen.ts';

export interface KeptWork {
  readonly conversations: Conversations;
  readonly drafts: Drafts;
  readonly unseen: UnseenMessages;
}

export class KeptConversations {
  readonly #create: (scope: OutboxScope, storageKey: string) => KeptWork;
  /** By the place in which the tab keeps their outbox. */
  readonly #kept = new Map<string, KeptWork>();
  readonly #listeners = new Set<() => void>();
  #items: readonly Outgoing[] = [];

  constructor(create: (scope: OutboxScope, storageKey: string) => KeptWork) {
    this.#create = create;
  }

  get(scope: OutboxScope): KeptWork {
    const storageKey = toOutboxKey(scope);
    const known = this.#kept.get(storageKey);
    if (known !== undefined) return known;
    const made = this.#create(scope, storageKey);
    this.#kept.set(storageKey, made);
    made.conversations.outbox.onChange(() => this.#gather());
    this.#items = [...this.#items, ...made.conversations.outbox.getItems()];
    return made;
  }

  /** Sends what the page before has left there. */
  resume(scopes: readonly OutboxScope[]): void {
    for (const scope of scopes) this.get(scope).conversations.outbox.flush();
    this.#gather();
  }

  /** What is not with the server yet, of all environments. The same array until something changes. */
  readonly getItems = (): readonly Outgoing[] => this.#items;

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The session is over: what is not sent stays where the tab keeps it. */
  end(): void {
    for (const { conversations } of this.#kept.values()) conversations.end();
    this.#kept.clear();
    this.#gather();
  }

  #gather(): void {
    this.#items = [...this.#kept.values()].flatMap(({ conversations }) => conversations.outbox.getItems());
    for (const listener of this.#listeners) listener();
  }
}

/** Those of this tab. What is on its way outlives a reload of it, and ends with it or at sign-out. */
export const keptConversations = new KeptConversations((scope, storageKey) => {
  const { userId, projectId, environmentId } = scope;
  const client = createOperatorClient({ projectId, environmentId });
  const drafts = new Drafts(localStorage, scope);
  const conversations = new Conversations(client, {
    load: () => sessionStorage.getItem(storageKey),
    keep: text => sessionStorage.setItem(storageKey, text),
    schedule: scheduleByTimer,
    now: Date.now,
    createKey: createRandomKey,
    describe: describeError,
    userId,
  });
  const unseen = new UnseenMessages(threadId => client.threads.get(threadId));
  return { conversations, drafts, unseen };
});

session.onEnd(() => keptConversations.end());
