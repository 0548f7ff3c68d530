/** A burst of messages from many participants, each with one message in flight: what a busy channel looks like. */
import { randomUUID } from 'node:crypto';
import { ApiError, type Api, type Message } from './api.ts';

export interface Acknowledged {
  readonly key: string;
  readonly message: Message;
}

interface Sent {
  readonly key: string;
  readonly body: Readonly<Record<string, string>>;
}

export class Burst {
  /** What the node has answered 201 for: all of it must be there afterwards, once. */
  readonly acknowledged: Acknowledged[] = [];
  /** What got no answer: sent again with the same key, as a client should. */
  readonly unanswered: Sent[] = [];
  readonly #api: Api;
  readonly #path: string;
  readonly #projectId: string;
  readonly #total: number;
  readonly #participants: number;
  #next = 0;

  constructor(api: Api, channelId: string, projectId: string, total: number, participants: number) {
    this.#api = api;
    this.#path = `/channels/${channelId}/inbound-messages`;
    this.#projectId = projectId;
    this.#total = total;
    this.#participants = participants;
  }

  /** Sends until all are sent or the node is gone. */
  async send(onProgress: (acknowledged: number) => void): Promise<void> {
    let gone = false;
    const participant = async (index: number): Promise<void> => {
      while (!gone && this.#next < this.#total) {
        const number = ++this.#next;
        const sent: Sent = {
          key: randomUUID(),
          body: {
            projectId: this.#projectId,
            externalParticipantRef: `burst-${index}`,
            body: `message ${number}`,
          },
        };
        try {
          await this.#send(sent);
          onProgress(this.acknowledged.length);
        } catch (error) {
          if (error instanceof ApiError && error.status < 500) throw error;
          gone = true;
          this.unanswered.push(sent);
        }
      }
    };
    await Promise.all(Array.from({ length: this.#participants }, (_, index) => participant(index)));
  }

  /** Repeats what got no answer, with the keys it had. */
  async repeat(): Promise<void> {
    for (const sent of this.unanswered.splice(0)) await this.#send(sent);
  }

  async #send({ key, body }: Sent): Promise<void> {
    this.acknowledged.push({ key, message: await this.#api.post<Message>(this.#path, body, key) });
  }
}
