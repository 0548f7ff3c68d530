/**
 * WatchShards: the map of shards to nodes, and again after each change.
 *
 * A hand-over of a node's shards is some hundred changes within seconds. They are gathered: a map goes out {@link gatherMs} after the
 * first of them. A stream that does not take a map in time gets the newest one when it does, and never one between.
 */
import { status as codes, type ServerWritableStream } from '@grpc/grpc-js';
import type { WatchShardsRequest__Output } from '../../protocol/gen/skein/internal/v1/WatchShardsRequest.ts';
import type { WatchShardsResponse } from '../../protocol/gen/skein/internal/v1/WatchShardsResponse.ts';
import type { ShardOwners } from '../../runtime/placement/index.ts';
import type { Clock, Timer } from '../../runtime/time/index.ts';
import type { DecodedRequest } from './definition.ts';
import type { GrpcMetrics } from './metrics.ts';
import type { OpenStream } from './open-stream.ts';

export type WatchShardsCall = ServerWritableStream<
  DecodedRequest<WatchShardsRequest__Output>,
  WatchShardsResponse
>;

/** From a change until it is sent: four maps a second at most. */
export const gatherMs = 250;

interface ShardMap {
  readonly frame: WatchShardsResponse;
  /** Equal for equal maps. */
  readonly text: string;
}

export interface ShardMapsOptions {
  readonly owners: ShardOwners;
  readonly clock: Clock;
  readonly metrics: GrpcMetrics;
}

/** The streams of a node. While there is none, no change is looked at. */
export class ShardMaps {
  readonly #options: ShardMapsOptions;
  readonly #watchers = new Set<Watcher>();
  #stopListening: () => void = () => undefined;
  #timer: Timer | undefined;

  constructor(options: ShardMapsOptions) {
    this.#options = options;
  }

  /** Sends the stream the map of now, and each one after it. */
  add(stream: OpenStream<WatchShardsCall>): void {
    const { owners, metrics } = this.#options;
    const watcher = new Watcher(stream, metrics);
    stream.onGone(() => this.#remove(watcher));
    if (this.#watchers.size === 0) this.#stopListening = owners.onChange(() => this.#gather());
    this.#watchers.add(watcher);
    watcher.offer(this.#createMap());
  }

  #remove(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    this.#stopListening();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #gather(): void {
    this.#timer ??= this.#options.clock.after(gatherMs, () => {
      this.#timer = undefined;
      const map = this.#createMap();
      for (const watcher of this.#watchers) watcher.offer(map);
    });
  }

  #createMap(): ShardMap {
    const { owners } = this.#options;
    const nodes = owners
      .listNodes()
      .map(({ id, address = '', shards }) => ({ id, address, shards: [...shards] }));
    const frame = { shardCount: owners.shardCount, nodes };
    return { frame, text: JSON.stringify(frame) };
  }
}

/** One stream: at most one map is on its way, and at most one waits. */
class Watcher {
  readonly #stream: OpenStream<WatchShardsCall>;
  readonly #metrics: GrpcMetrics;
  /** The text of the last one that was written. */
  #sent = '';
  #isWriting = false;
  #next: ShardMap | undefined;

  constructor(stream: OpenStream<WatchShardsCall>, metrics: GrpcMetrics) {
    this.#stream = stream;
    this.#metrics = metrics;
  }

  offer(map: ShardMap): void {
    this.#next = map;
    this.#write();
  }

  #write(): void {
    const map = this.#next;
    if (map === undefined || this.#isWriting || this.#stream.ended) return;
    this.#next = undefined;
    // Some changes leave the map as it is, or as it was before.
    if (map.text === this.#sent) return;
    this.#sent = map.text;
    this.#isWriting = true;
    this.#metrics.message('WatchShards', codes.OK);
    this.#stream.call.write(map.frame, () => {
      this.#isWriting = false;
      this.#write();
    });
  }
}
