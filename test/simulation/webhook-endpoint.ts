/**
 * The customers' systems that stitches deliver to, behind the queue of a node's pool. They fail or are slow for a while, answer when nobody
 * waits any more, and now and then say that they are gone.
 */
import type { OutboundRequest, OutboundResult } from '../../runtime/outbound/index.ts';
import type { StitchServices } from '../../actors/stitch/services.ts';
import { PoolOverloaded } from '../../runtime/pool/outbound-queue.ts';
import type { Random } from '../../runtime/time/clock.ts';
import type { Deliveries } from './deliveries.ts';
import type { Faults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Schedule } from './schedule.ts';

/** How long an attempt may take. */
export const attemptTimeoutMs = 1_500;
/** How long a request waits for its turn at most, in milliseconds. */
const maxWaitMs = 6_000;

export interface WebhookEndpointOptions {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
}

/** The answers of a receiver that is in trouble; null: there is none. */
const troubles = [500, 503, 429, 400, null] as const;

export class WebhookEndpoints {
  readonly #options: WebhookEndpointOptions;
  /** Until when each receiver fails, by address, in virtual milliseconds. */
  readonly #failsUntil = new Map<string, number>();
  /** The same, of one that is slow. */
  readonly #slowUntil = new Map<string, number>();

  constructor(options: WebhookEndpointOptions) {
    this.#options = options;
  }

  /** The receiver fails from now on, for that many milliseconds. */
  fail(url: string, ms: number): void {
    this.#failsUntil.set(url, this.#options.schedule.now + ms);
  }

  /** The receiver takes its time for each answer from now on, for that many milliseconds. */
  slowDown(url: string, ms: number): void {
    this.#slowUntil.set(url, this.#options.schedule.now + ms);
  }

  /** All receivers work again. */
  heal(): void {
    this.#failsUntil.clear();
    this.#slowUntil.clear();
  }

  /** The queue of a node's pool. */
  createQueue(machine: Machine): Pick<StitchServices['pool'], 'send'> {
    return { send: (request, _owner, _signal, withdrawn) => this.#send(machine, request, withdrawn) };
  }

  async #send(
    machine: Machine,
    request: OutboundRequest,
    withdrawn: AbortSignal | undefined,
  ): Promise<OutboundResult> {
    const { schedule, random, faults, deliveries } = this.#options;
    if (withdrawn?.aborted === true) throw withdrawn.reason;
    if (faults.strikes('pool overloaded', 0.01)) {
      faults.fired('pool overloaded');
      throw new PoolOverloaded('no room');
    }
    if (faults.strikes('full queue', 0.03)) await this.#wait(machine, random.next() * maxWaitMs, withdrawn);
    const at = request.at ?? machine.now();
    const sentAt = schedule.now;
    deliveries.goesOut(machine.name, toStitchId(request.url), request.headers['Service-Delivery-Id'] ?? '');
    deliveries.erasures.sends(request.headers['Service-Event-Id'] ?? '', request.body ?? '');
    await schedule.sleep(1 + random.next() * 10 + (random.next() < 0.03 ? random.next() * 800 : 0));
    if (schedule.now < (this.#slowUntil.get(request.url) ?? 0)) {
      faults.fired('slow receiver');
      await schedule.sleep(100 + random.next() * 700);
    }
    const answer = await this.#answer(request, at);
    await schedule.sleep(1 + random.next() * 10);
    await new Promise<void>(resolve => machine.run(resolve));
    return { at, durationMs: Math.floor(schedule.now - sentAt), ...answer };
  }

  /** A request waits for its turn, unless it is withdrawn. */
  #wait(machine: Machine, ms: number, withdrawn: AbortSignal | undefined): Promise<void> {
    const { schedule, faults } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = schedule.after(ms, () =>
        machine.run(() => {
          withdrawn?.removeEventListener('abort', abort);
          faults.fired('full queue');
          resolve();
        }),
      );
      const abort = (): void => {
        timer.cancel();
        reject(withdrawn?.reason as Error);
      };
      withdrawn?.addEventListener('abort', abort, { once: true });
    });
  }

  async #answer(
    { url, headers }: OutboundRequest,
    sentAt: number,
  ): Promise<Pick<OutboundResult, 'status' | 'failure' | 'error' | 'retryAfter'>> {
    const { schedule, random, faults, deliveries } = this.#options;
    const deliveryId = headers['Service-Delivery-Id'] ?? '';
    const take = (): void => deliveries.taken(toStitchId(url), deliveryId, sentAt);
    if (schedule.now < (this.#failsUntil.get(url) ?? 0)) {
      faults.fired('receiver down');
      const status = troubles[Math.floor(random.next() * troubles.length)] ?? null;
      return status === null ? { failure: 'connect', error: 'ECONNREFUSED' } : { status };
    }
    if (faults.strikes('receiver gone', 0.002)) {
      faults.fired('receiver gone');
      return { status: 410 };
    }
    if (faults.strikes('late answer', 0.03)) {
      faults.fired('late answer');
      // It has taken the event, or will, when its answer is not heard any more.
      if (random.next() < 0.5) take();
      else schedule.after(attemptTimeoutMs + random.next() * 1_000, take);
      await schedule.sleep(attemptTimeoutMs);
      return { failure: 'timeout', error: 'no answer' };
    }
    take();
    return { status: 200 };
  }
}

export function toUrl(stitchId: string): string {
  return `https://receiver.example/${stitchId}`;
}

function toStitchId(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
