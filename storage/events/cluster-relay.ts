/**
 * Carries committed events between the nodes of a cluster, over its transport. What this node commits is published under the
 * project's topic, one message per commit and project, where any node follows the project (project-interest.ts). What others publish is
 * received for the projects that are followed here (by a Console stream, for example), so a node without followers receives nothing.
 *
 * Messages have no numbers of their own. A project's events are numbered densely in the order of their commits, whichever node commits
 * them, so the listener sees every gap, repetition and crossing by `seq`, and fills a gap from the log (gateway/stream/hub.ts). No
 * number reveals what was lost at the end of a stream: after an outage of the connection everything followed is compared
 * with the log at once (`CommitNotifier.onOutage`), and from time to time in any case.
 *
 * The form of a message:
 *
 *   <from> <seq of the first event> <generation>
 *                                        events of one project from one commit, which are numbered without gaps. The generation of the log
 *                                        (storage/database/timeline.ts) is left out while it is 0
 *   <eventName> <envelope>               one line for each
 *
 *   <from> ?                             the project has events that no message carries: read its log
 *
 * An envelope is compact JSON without line breaks. It is sent as it stands, since a signature depends on its bytes, and quoting costs
 * time. A message that this version cannot read counts as the second form, and so does one of another generation: its numbers may name
 * other events here.
 */
import type { Clock } from '../../runtime/time/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import type { CommitNotifier, CommitRelay, CommittedEvent } from './commit-notifier.ts';
import { ProjectInterest } from './project-interest.ts';

/** Names a project that a node begins to follow. */
const followedTopic = 'followed';

/** The content of a message; undefined events are to be read from the log. */
export interface RelayMessage {
  readonly from: string;
  readonly events: readonly CommittedEvent[] | undefined;
  /** Of the log that the numbers belong to. */
  readonly generation: number;
}

/** The message that only says that there are events. */
export function encodeGap(from: string): string {
  return `${from} ?`;
}

/**
 * Messages of at most `maxBytes` for consecutive events of one project, in their order. An event that is larger is announced as a
 * gap.
 */
export function encodeEvents(
  from: string,
  events: readonly CommittedEvent[],
  maxBytes: number,
  generation = 0,
): string[] {
  const suffix = generation === 0 ? '' : ` ${generation}`;
  const messages: string[] = [];
  let message = '';
  let bytes = 0;
  for (const { seq, eventName, body } of events) {
    const line = `\n${eventName} ${body}`;
    const size = Buffer.byteLength(line);
    const head = `${from} ${seq}${suffix}`;
    if (message !== '' && bytes + size > maxBytes) {
      messages.push(message);
      message = '';
    }
    if (head.length + size > maxBytes) {
      messages.push(encodeGap(from));
    } else if (message === '') {
      message = head + line;
      bytes = head.length + size;
    } else {
      message += line;
      bytes += size;
    }
  }
  if (message !== '') messages.push(message);
  return messages;
}

/** Never throws. */
export function decodeRelayMessage(projectId: string, text: string): RelayMessage {
  const [head = '', ...lines] = text.split('\n');
  const [from = '', first = '', suffix = '0'] = head.split(' ');
  const generation = Number(suffix);
  const events: CommittedEvent[] = [];
  if (!/^[1-9][0-9]{0,15}$/.test(first)) return { from, generation, events: undefined };
  for (const line of lines) {
    const space = line.indexOf(' ');
    if (space < 1) return { from, generation, events: undefined };
    const seq = Number(first) + events.length;
    events.push({ projectId, seq, eventName: line.slice(0, space), body: line.slice(space + 1) });
  }
  return { from, generation, events };
}

export interface ClusterRelayOptions {
  readonly transport: Pick<Transport, 'publish' | 'subscribe' | 'isHeard'>;
  readonly clock: Clock;
  readonly notifier: CommitNotifier;
  /** A name of this process that no other process has or ever had; without spaces. */
  readonly from: string;
  /** The generation of the log, as this node knows it. */
  readonly getGeneration: () => number;
  /** Longest message, in bytes; a larger event is announced without its text. Default 524,288: half of what NATS accepts. */
  readonly maxBytes?: number;
}

function toTopic(projectId: string): string {
  return `events.${projectId}`;
}

export class ClusterRelay implements CommitRelay {
  readonly #options: ClusterRelayOptions;
  readonly #maxBytes: number;
  readonly #interest: ProjectInterest;
  readonly #subscriptions = new Map<string, () => void>();

  constructor(options: ClusterRelayOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? 524_288;
    const { transport, clock } = options;
    this.#interest = new ProjectInterest({
      clock,
      isHeard: projectId => transport.isHeard(toTopic(projectId)),
      onMissed: projectId => this.#publishGap(projectId),
    });
    transport.subscribe(followedTopic, projectId => this.#interest.onFollowed(projectId));
  }

  /** The number of projects whose events this node receives. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  publishEvents(events: readonly CommittedEvent[]): void {
    const { transport, from, getGeneration } = this.#options;
    for (const [projectId, own] of Map.groupBy(events, event => event.projectId)) {
      if (!this.#interest.isFollowed(projectId)) continue;
      const topic = toTopic(projectId);
      for (const message of encodeEvents(from, own, this.#maxBytes, getGeneration()))
        transport.publish(topic, message);
    }
  }

  publishGap(projectIds: readonly string[]): void {
    for (const projectId of projectIds) this.#publishGap(projectId);
  }

  subscribe(projectId: string): void {
    const { transport } = this.#options;
    const listener = (text: string): void => this.#receive(projectId, text);
    this.#subscriptions.set(projectId, transport.subscribe(toTopic(projectId), listener));
    transport.publish(followedTopic, projectId);
  }

  /** After the connection to other nodes was lost for a while. */
  onOutage(): void {
    this.#interest.onOutage();
    for (const projectId of this.#subscriptions.keys())
      this.#options.transport.publish(followedTopic, projectId);
  }

  unsubscribe(projectId: string): void {
    this.#subscriptions.get(projectId)?.();
    this.#subscriptions.delete(projectId);
  }

  #publishGap(projectId: string): void {
    const { transport, from } = this.#options;
    transport.publish(toTopic(projectId), encodeGap(from));
  }

  #receive(projectId: string, text: string): void {
    const { notifier, from, getGeneration } = this.#options;
    const message = decodeRelayMessage(projectId, text);
    // This node's own listeners were told at the commit.
    if (message.from === from) return;
    if (message.events !== undefined && message.generation === getGeneration())
      notifier.onRemote(message.events);
    else notifier.onRemoteGap([projectId]);
  }
}
