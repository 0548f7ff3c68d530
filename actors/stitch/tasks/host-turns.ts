/**
 * Delays webhooks to public hosts, so that no account can flood a host that does not want them.
 *
 *   - an account without a verified address: 5 at once to a host, then one a second
 *   - a verified account: 50 a second to a host, over all its projects
 *   - a verified account whose stitch has a proof of the host (host-proof.ts): no rate here
 *
 * Loopback and other private addresses have no rate. A delivery that waits here is in no queue of the node: its row is that of its event, and
 * its stitch counts it as in flight, so the window of the stitch bounds how many wait. Nothing is dropped, and the order of each thread stays,
 * because a thread has one delivery in flight. Deliveries of one account to one host get their turns in the order in which they came.
 */
import { LRUCache } from 'lru-cache';
import { getPublicHost } from '../../../runtime/outbound/index.ts';
import type { ProjectAccount } from '../../../storage/tenancy/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import type { SendBatch } from '../commands.ts';
import type { HostRates, StitchServices } from '../services.ts';

/** Addresses whose host is remembered. */
const maxHosts = 10_000;

/** The bucket that a delivery is charged to. */
interface Bucket {
  readonly name: Parameters<HostRates['take']>[0];
  readonly account: string;
  readonly host: string;
}

type Waiter = (mayGo: boolean) => void;

export class HostTurns {
  readonly #services: Pick<StitchServices, 'hostRates'>;
  readonly #retryPolicy: RetryPolicy;
  /** Empty: not a public host. */
  readonly #hosts = new LRUCache<string, string>({ max: maxHosts });
  /** Deliveries that wait, by bucket. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #isOpen = false;

  constructor(services: Pick<StitchServices, 'hostRates'>, retryPolicy: RetryPolicy) {
    this.#services = services;
    this.#retryPolicy = retryPolicy;
  }

  /** Deliveries that wait for their turn. */
  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#waiting.values()) waiting += queue.size;
    return waiting;
  }

  /** From now on every delivery gets its turn at once: the node drains, and sends none of them. */
  open(): void {
    this.#isOpen = true;
    for (const queue of this.#waiting.values()) for (const go of queue) go(true);
    this.#waiting.clear();
  }

  /** Returns the bucket of a batch. Undefined: it has no rate. */
  findBucket(
    batch: Pick<SendBatch, 'projectId' | 'url' | 'provenHost'>,
  ): Bucket | undefined | Promise<Bucket | undefined> {
    const host = this.getHost(batch.url);
    const { hostRates } = this.#services;
    if (hostRates === undefined || host === '') return undefined;
    const isProven = batch.provenHost === host;
    const toBucket = ({ accountId: account, isVerified }: ProjectAccount): Bucket | undefined => {
      if (isVerified && isProven) return undefined;
      return { name: isVerified ? 'webhooks' : 'webhooksUnverified', account, host };
    };
    const found = hostRates.findAccount(batch.projectId);
    if (!(found instanceof Promise)) return toBucket(found);
    let first: typeof found | undefined = found;
    return this.#retryPolicy.retry('the account of a project could not be read', async () => {
      const asked = first ?? hostRates.findAccount(batch.projectId);
      first = undefined;
      return toBucket(await asked);
    });
  }

  /** Returns the public host of an address; empty for another one. */
  getHost(url: string): string {
    let host = this.#hosts.get(url);
    if (host === undefined) this.#hosts.set(url, (host = getPublicHost(url) ?? ''));
    return host;
  }

  /** Resolves when the delivery may be sent: true, or false if it was withdrawn before. */
  wait(bucket: Bucket, withdrawn: AbortSignal): Promise<boolean> {
    if (withdrawn.aborted) return Promise.resolve(false);
    if (this.#isOpen) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const key = `${bucket.name}/${bucket.account}/${bucket.host}`;
    let queue = this.#waiting.get(key);
    const isFirst = queue === undefined;
    queue ??= new Set();
    const go: Waiter = mayGo => {
      withdrawn.removeEventListener('abort', abort);
      queue.delete(go);
      resolve(mayGo);
    };
    const abort = (): void => go(false);
    withdrawn.addEventListener('abort', abort, { once: true });
    this.#waiting.set(key, queue.add(go));
    if (isFirst) void this.#serve(key, bucket, queue);
    return promise;
  }

  /** Lets the waiting deliveries of a bucket go one after the other, as the rate allows. Never rejects. */
  async #serve(key: string, { name, account, host }: Bucket, queue: Set<Waiter>): Promise<void> {
    const { hostRates } = this.#services;
    while (queue.size > 0 && hostRates !== undefined) {
      const waitMs = await hostRates.take(name, account, host);
      if (waitMs > 0) {
        await this.#retryPolicy.pause(waitMs);
        continue;
      }
      const [go] = queue;
      go?.(true);
    }
    if (this.#waiting.get(key) === queue) this.#waiting.delete(key);
  }
}
