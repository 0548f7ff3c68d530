/** Names the node that owns a thread, for clients that send the thread's messages there. */
import { Metadata } from '@grpc/grpc-js';
import { toShardKey } from '../../protocol/ids.ts';
import { getShard, type ShardOwners } from '../../runtime/placement/index.ts';

/** In the metadata of answers: where the owner of the thread is reached. */
const ownerKey = 'skein-owner';

/** What answers about a thread have of it. */
interface ThreadAnswer {
  readonly message?: { readonly threadId?: string } | null;
  readonly thread?: { readonly threadId?: string } | null;
}

export class ThreadOwners {
  readonly #owners: ShardOwners;

  constructor(owners: ShardOwners) {
    this.#owners = owners;
  }

  /**
   * Where the owner of the answer's thread is reached, `host:port`; undefined: not known. The shard is that of the actor kind `thread`,
   * and a promise to clients (docs/guide/grpc.md).
   */
  getAddress({ message, thread }: ThreadAnswer): string | undefined {
    const threadId = message?.threadId ?? thread?.threadId;
    if (threadId === undefined) return undefined;
    return this.#owners.getAddress(getShard(toShardKey(threadId), this.#owners.shardCount));
  }

  /** The metadata of the answer; undefined: it has none. */
  createMetadata(answer: ThreadAnswer): Metadata | undefined {
    const address = this.getAddress(answer);
    if (address === undefined) return undefined;
    const metadata = new Metadata();
    metadata.set(ownerKey, address);
    return metadata;
  }
}
