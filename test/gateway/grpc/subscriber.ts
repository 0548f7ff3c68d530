/** A client's end of SubscribeEvents, which notes every frame and lets a test wait for what it wants to see. */
import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import type { ConversationsClient } from '../../../protocol/gen/skein/internal/v1/Conversations.ts';
import type { Cursor } from '../../../protocol/gen/skein/internal/v1/Cursor.ts';
import type { SubscribeEventsRequest } from '../../../protocol/gen/skein/internal/v1/SubscribeEventsRequest.ts';
import type { SubscribeEventsResponse__Output } from '../../../protocol/gen/skein/internal/v1/SubscribeEventsResponse.ts';
import { bearer, getFailure, type Failure } from './grpc-fixture.ts';

export class Subscriber {
  readonly call: ClientReadableStream<SubscribeEventsResponse__Output>;
  readonly frames: SubscribeEventsResponse__Output[] = [];
  failure: Failure | undefined;
  readonly #asked: Cursor;
  #wake: () => void = () => undefined;

  constructor(client: ConversationsClient, request: SubscribeEventsRequest, token?: string) {
    this.#asked = request.cursor ?? {};
    this.call = client.subscribeEvents(request, bearer(token));
    this.call.on('data', (frame: SubscribeEventsResponse__Output) => {
      this.frames.push(frame);
      this.#wake();
    });
    this.call.on('error', (error: ServiceError) => {
      this.failure = getFailure(error);
      this.#wake();
    });
  }

  async until(seen: (subscriber: Subscriber) => boolean): Promise<this> {
    while (!seen(this)) await new Promise<void>(resolve => (this.#wake = resolve));
    return this;
  }

  /** The first frame: where it goes on from. */
  async begun(): Promise<SubscribeEventsResponse__Output | undefined> {
    await this.until(({ frames, failure }) => frames.length > 0 || failure !== undefined);
    return this.frames[0];
  }

  /** The numbers of the events so far. */
  get seqs(): number[] {
    return this.frames.flatMap(({ event }) => (event ? [Number(event.seq)] : []));
  }

  /** Waits for the event with that number, and gives all numbers so far. */
  async through(seq: number): Promise<number[]> {
    await this.until(({ seqs, failure }) => seqs.includes(seq) || failure !== undefined);
    return this.seqs;
  }

  /** Waits for the end and gives how it ended. */
  async end(): Promise<Failure | undefined> {
    await this.until(({ failure }) => failure !== undefined);
    return this.failure;
  }

  /** Where to go on from, by what was seen. */
  get cursor(): Cursor {
    const [first] = this.frames;
    const begun = first?.resumed?.cursor ?? first?.reset?.cursor ?? this.#asked;
    return { ...begun, seq: this.seqs.at(-1) ?? begun.seq ?? 0 };
  }
}
