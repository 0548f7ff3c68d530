/** A client's end of WatchShards, which notes every map and lets a test wait for the one that it wants to see. */
import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import type { ConversationsClient } from '../../../protocol/gen/skein/internal/v1/Conversations.ts';
import type { WatchShardsResponse__Output } from '../../../protocol/gen/skein/internal/v1/WatchShardsResponse.ts';
import { withTimeLimit } from '../../support/time-limit.ts';
import { bearer, getFailure, type Failure } from './grpc-fixture.ts';

export class ShardWatcher {
  readonly maps: WatchShardsResponse__Output[] = [];
  readonly call: ClientReadableStream<WatchShardsResponse__Output>;
  #failure: Failure | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(client: ConversationsClient, token?: string) {
    this.call = client.watchShards({}, bearer(token));
    this.call.on('data', (map: WatchShardsResponse__Output) => {
      this.maps.push(map);
      this.#wake();
    });
    this.call.on('error', (error: ServiceError) => {
      this.#failure = getFailure(error);
      this.#wake();
    });
  }

  first(): Promise<WatchShardsResponse__Output> {
    return this.#until('first map', () => this.maps[0]);
  }

  /** The newest map, as soon as it fits. */
  until(fits: (map: WatchShardsResponse__Output) => boolean): Promise<WatchShardsResponse__Output> {
    return this.#until('map that fits', () => {
      const last = this.maps.at(-1);
      return last !== undefined && fits(last) ? last : undefined;
    });
  }

  ended(): Promise<Failure> {
    return this.#until('end of the stream', () => this.#failure);
  }

  cancel(): void {
    this.call.cancel();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #until<T>(what: string, look: () => T | undefined): Promise<T> {
    const found = async (): Promise<T> => {
      for (;;) {
        const value = look();
        if (value !== undefined) return value;
        await new Promise<void>(resolve => this.#waiting.add(resolve));
      }
    };
    return withTimeLimit(found(), what);
  }
}
