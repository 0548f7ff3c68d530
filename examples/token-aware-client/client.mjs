// @ts-check
/**
 * A gRPC client that sends each thread's messages to the node that owns the thread, so that none of them crosses from node to node.
 *
 * It follows the map of shards to nodes (WatchShards), and keeps a connection to each node. From a thread's id it computes the shard. Of
 * a conversation that is named by its participant it learns the thread's id from the first answer. Between two maps, `skein-owner` in the
 * answers says where a shard has gone. All of this is a hint: any node does what another one owns, and so the others are asked where the
 * owner cannot be reached.
 *
 * Messages of one conversation go one after the other. Those of different conversations go at once, as many as you begin.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { credentials, loadPackageDefinition, Metadata, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** In a project of your own: where you keep internal.proto, and the folder google beside it. */
const contract = fileURLToPath(new URL('../../protocol', import.meta.url));

/** One try: the longest wait for a node that hangs. */
const tryMs = 5_000;
const firstRetryMs = 100;
const maxRetryMs = 2_000;

/**
 * @typedef {import('@grpc/grpc-js').ServiceError} ServiceError
 * @typedef {import('@grpc/grpc-js').Client & Record<string, Function>} Stub
 * @typedef {{ readonly message: Readonly<Record<string, any>>, readonly replayed: boolean }} Answer
 * @typedef {Answer & { readonly node: string }} Sent  `node`: the address that took the message.
 * @typedef {Readonly<Record<string, any>>} Request  As in internal.proto. Without an idempotencyKey it gets one.
 * @typedef {{ readonly shardCount: number,
 *   readonly nodes: readonly { readonly id: string, readonly address: string, readonly shards: readonly number[] }[] }} ShardMap
 */

export class TokenAwareClient {
  #options;
  #stub;
  #metadata = new Metadata();
  /** By address. @type {Map<string, { readonly stub: Stub, calls: number }>} */
  #connections = new Map();
  /** Of each shard: the owner's address, as far as it is known. @type {(string | undefined)[]} */
  #owners = [];
  /** Where nodes are reached by the map, and then the seeds. @type {readonly string[]} */
  #addresses;
  /** How many of the addresses are those of the map. */
  #mapped = 0;
  #turn = 0;
  /** The thread of each conversation that is named by its participant, the longest unused first. @type {Map<string, string>} */
  #threads = new Map();
  /** Of each conversation with a message under way: the end of its last one. @type {Map<string, Promise<unknown>>} */
  #lanes = new Map();
  #closed = new AbortController();

  /**
   * @param {{
   *   readonly seeds: readonly string[],
   *   readonly token: string,
   *   readonly credentials?: import('@grpc/grpc-js').ChannelCredentials,
   *   readonly giveUpMs?: number,
   *   readonly maxConversations?: number,
   *   readonly onMap?: (map: ShardMap) => void,
   * }} options
   *   `seeds`: addresses of some nodes, `host:port`. `credentials`: default plaintext. `giveUpMs`: how long one message is tried, default
   *   30,000. `maxConversations`: how many are remembered, default 100,000.
   */
  constructor(options) {
    this.#options = {
      credentials: credentials.createInsecure(),
      giveUpMs: 30_000,
      maxConversations: 100_000,
      ...options,
    };
    this.#addresses = options.seeds;
    this.#metadata.set('authorization', `Bearer ${options.token}`);
    const loaded = loadSync('internal.proto', {
      includeDirs: [contract],
      enums: String,
      longs: String,
      defaults: true,
    });
    const { skein } = /** @type {any} */ (loadPackageDefinition(loaded));
    /** @type {new (...options: any[]) => Stub} */
    this.#stub = skein.internal.v1.Conversations;
    void this.#follow();
  }

  /**
   * A message that came in by a channel of yours. Rejects with a `ServiceError` that another try does not change, or when the time is over:
   * then it is yours to send it again, under its key, before what follows it in its conversation.
   *
   * @param {Request} request IngestMessageRequest. Name a conversation always in the same way
   * @returns {Promise<Sent>}
   */
  ingest(request) {
    const { environmentId, channelId, threadId = '', externalParticipantRef, externalThreadRef } = request;
    const reference = externalParticipantRef ?? externalThreadRef;
    const conversation = threadId === '' ? JSON.stringify([environmentId, channelId, reference]) : threadId;
    return this.#inOrder(conversation, 'ingestMessage', request);
  }

  /**
   * A message to a thread's participant.
   *
   * @param {Request} request SendMessageRequest
   * @returns {Promise<Sent>}
   */
  send(request) {
    return this.#inOrder(request['threadId'], 'sendMessage', request);
  }

  /** After your last answer. */
  close() {
    this.#closed.abort();
    for (const { stub } of this.#connections.values()) stub.close();
  }

  /**
   * @param {string} conversation
   * @param {string} method
   * @param {Request} request
   * @returns {Promise<Sent>}
   */
  async #inOrder(conversation, method, request) {
    const keyed = { idempotencyKey: randomUUID(), ...request };
    const before = this.#lanes.get(conversation) ?? Promise.resolve();
    const sent = before.then(() => this.#deliver(conversation, method, keyed));
    const lane = sent.catch(() => undefined);
    this.#lanes.set(conversation, lane);
    try {
      return await sent;
    } finally {
      if (this.#lanes.get(conversation) === lane) this.#lanes.delete(conversation);
    }
  }

  /**
   * To the owner first, then to the others by turns. Under its key a message is stored once, however often it is sent.
   *
   * @param {string} conversation
   * @param {string} method
   * @param {Request} request
   * @returns {Promise<Sent>}
   */
  async #deliver(conversation, method, request) {
    const giveUpAt = Date.now() + this.#options.giveUpMs;
    /** @type {Set<string>} */
    const tried = new Set();
    for (let waitMs = firstRetryMs; ;) {
      const address = this.#choose(conversation, tried);
      try {
        const { answer, owner } = await this.#call(address, method, request, giveUpAt);
        this.#learn(conversation, answer.message['threadId'], owner);
        return { ...answer, node: address };
      } catch (error) {
        if (!canBeRetried(error) || Date.now() + waitMs >= giveUpAt) throw error;
        tried.add(address);
      }
      if (tried.size < this.#addresses.length) continue;
      tried.clear();
      await pause(waitMs * (0.5 + Math.random() / 2));
      waitMs = Math.min(2 * waitMs, maxRetryMs);
    }
  }

  /**
   * @param {string} conversation
   * @param {ReadonlySet<string>} tried
   * @returns {string}
   */
  #choose(conversation, tried) {
    const threadId = this.#threads.get(conversation) ?? conversation;
    const owner =
      this.#owners.length === 0 ? undefined : this.#owners[getShard(threadId, this.#owners.length)];
    // Of a conversation whose thread is not known yet this is the owner of something else, which does as well as any other.
    if (owner !== undefined && !tried.has(owner)) return owner;
    const left = this.#addresses.filter(address => !tried.has(address));
    // Seeds may have gone long ago.
    const mapped = left.filter(address => this.#addresses.indexOf(address) < this.#mapped);
    return this.#next(mapped.length > 0 ? mapped : left);
  }

  /** @param {readonly string[]} addresses */
  #next(addresses) {
    const address = addresses[this.#turn++ % addresses.length];
    if (address === undefined) throw new Error('there is no address of a node');
    return address;
  }

  /**
   * @param {string} conversation
   * @param {string} threadId
   * @param {string | undefined} owner
   */
  #learn(conversation, threadId, owner) {
    if (owner !== undefined && this.#owners.length > 0)
      this.#owners[getShard(threadId, this.#owners.length)] = owner;
    if (conversation === threadId) return;
    this.#threads.delete(conversation);
    this.#threads.set(conversation, threadId);
    if (this.#threads.size <= this.#options.maxConversations) return;
    for (const oldest of this.#threads.keys()) {
      this.#threads.delete(oldest);
      return;
    }
  }

  /**
   * @param {string} address
   * @param {string} method
   * @param {Request} request
   * @param {number} giveUpAt
   * @returns {Promise<{ readonly answer: Answer, readonly owner: string | undefined }>}
   */
  #call(address, method, request, giveUpAt) {
    const connection = this.#connect(address);
    const deadline = Math.min(giveUpAt, Date.now() + tryMs);
    return new Promise((resolve, reject) => {
      /** @type {string | undefined} */
      let owner;
      connection.calls++;
      const call = connection.stub[method]?.(
        request,
        this.#metadata,
        { deadline },
        (/** @type {ServiceError | null} */ error, /** @type {Answer} */ answer) => {
          connection.calls--;
          this.#dropUnused();
          if (error === null) resolve({ answer, owner });
          else reject(error);
        },
      );
      call.once('metadata', (/** @type {Metadata} */ metadata) => {
        const [named] = metadata.get('skein-owner');
        owner = named?.toString();
      });
    });
  }

  /** @param {string} address */
  #connect(address) {
    let connection = this.#connections.get(address);
    if (connection === undefined) {
      const options = { 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 10_000 };
      connection = { stub: new this.#stub(address, this.#options.credentials, options), calls: 0 };
      this.#connections.set(address, connection);
    }
    return connection;
  }

  /** Closes the connections to nodes that have gone, after their last answer. */
  #dropUnused() {
    for (const [address, { stub, calls }] of this.#connections) {
      if (calls > 0 || this.#addresses.includes(address)) continue;
      this.#connections.delete(address);
      stub.close();
    }
  }

  /** Follows the map, at whichever node there is. */
  async #follow() {
    const { signal } = this.#closed;
    for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(2 * waitMs, maxRetryMs)) {
      const connection = this.#connect(this.#next(this.#addresses));
      connection.calls++;
      const maps = connection.stub['watchShards']?.({}, this.#metadata);
      const stop = () => maps.cancel();
      signal.addEventListener('abort', stop);
      try {
        for await (const map of maps) {
          this.#takeMap(map);
          waitMs = firstRetryMs;
        }
      } catch {
        // The node has gone or refuses; the calls say so as well.
      }
      signal.removeEventListener('abort', stop);
      connection.calls--;
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @param {ShardMap} map */
  #takeMap(map) {
    this.#owners = new Array(map.shardCount).fill(undefined);
    const told = map.nodes.filter(({ address }) => address !== '');
    for (const { address, shards } of told) for (const shard of shards) this.#owners[shard] = address;
    const mapped = new Set(told.map(({ address }) => address));
    this.#mapped = mapped.size;
    this.#addresses = [...new Set([...mapped, ...this.#options.seeds])];
    this.#dropUnused();
    this.#options.onMap?.(map);
  }
}

/** @param {unknown} error */
function canBeRetried(error) {
  const { code, metadata } = /** @type {ServiceError} */ (error);
  const passing = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.INTERNAL];
  return passing.includes(code) || metadata.get('retry-after').length > 0;
}

/**
 * The shard of a thread: MurmurHash3 (x86, 32 bits, seed 0) of the 13 characters before the last three of its id.
 *
 * @param {string} threadId
 * @param {number} count
 */
export function getShard(threadId, count) {
  const key = Buffer.from(threadId.slice(-16, -3));
  const mix = (/** @type {number} */ block) => {
    const k = Math.imul(block, 0xcc9e2d51);
    return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  };
  let hash = 0;
  const whole = key.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    hash ^= mix(key.readInt32LE(i));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = key.length - 1; i >= whole; i--) tail = (tail << 8) | (key[i] ?? 0);
  hash ^= mix(tail) ^ key.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}
