/**
 * News between the nodes of a cluster. What this node commits is published under the project's topic, one message per commit and
 * project; what others publish is heard for the projects that somebody follows here (a Console feed, say), so a node
 * without followers hears nothing.
 *
 * Messages have no numbers of their own: a project's events are numbered densely in the order of their commits, whoever commits them,
 * so the listener sees every gap, repetition and crossing by `seq`, and a gap heals from the log (gateway/stream/hub.ts). What was
 * missed at the end of a stream no number tells: after an outage of the connection everything followed is compared with
 * the log at once (`News.missed`), and now and then in any case.
 */
import type { Transport } from '../runtime/transport/transport.ts';
import { decodeNews, encodeBehind, encodeEvents } from './news-message.ts';
import type { CommittedEvent, News, Relay } from './news.ts';

export interface NewsRelayOptions {
  readonly transport: Pick<Transport, 'publish' | 'subscribe'>;
  readonly news: News;
  /** A name of this process, which no other one has and no earlier one had: without spaces. */
  readonly from: string;
  /** Longest message, in bytes; a larger event is announced without its text. Default 524,288: half of what NATS takes. */
  readonly maxBytes?: number;
}

function topicOf(projectId: string): string {
  return `events.${projectId}`;
}

export class NewsRelay implements Relay {
  readonly #options: NewsRelayOptions;
  readonly #maxBytes: number;
  readonly #subscriptions = new Map<string, () => void>();

  constructor(options: NewsRelayOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? 524_288;
  }

  /** Topics that are listened to. */
  get followed(): number {
    return this.#subscriptions.size;
  }

  events(events: readonly CommittedEvent[]): void {
    const { transport, from } = this.#options;
    for (const [projectId, own] of Map.groupBy(events, event => event.projectId)) {
      const topic = topicOf(projectId);
      for (const message of encodeEvents(from, own, this.#maxBytes)) transport.publish(topic, message);
    }
  }

  behind(projectIds: readonly string[]): void {
    const { transport, from } = this.#options;
    for (const projectId of projectIds) transport.publish(topicOf(projectId), encodeBehind(from));
  }

  follow(projectId: string): void {
    const listener = (text: string): void => this.#hear(projectId, text);
    this.#subscriptions.set(projectId, this.#options.transport.subscribe(topicOf(projectId), listener));
  }

  unfollow(projectId: string): void {
    this.#subscriptions.get(projectId)?.();
    this.#subscriptions.delete(projectId);
  }

  #hear(projectId: string, text: string): void {
    const { news, from } = this.#options;
    const message = decodeNews(projectId, text);
    // This node's own were told when they were committed.
    if (message.from === from) return;
    if (message.events === undefined) news.heardBehind([projectId]);
    else news.heard(message.events);
  }
}
