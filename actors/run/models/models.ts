/**
 * Asks models, with retries: what passes (limits of rate, failures of the provider or of the network) is tried again, not
 * before the provider wants it, and not beyond the order's deadline.
 */
import { backoffMs } from '../../../runtime/backoff.ts';
import type { Clock, Random } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import { pauseUnless } from '../../../runtime/pause.ts';
import type { ByokCredential } from '../../../protocol/resources/byok.ts';
import type { ModelAnswer } from '../commands.ts';
import type { StepOrder } from '../orders.ts';
import type { ModelOutcome } from '../outcome.ts';
import type { Models, Plan } from '../services.ts';
import { storableText } from '../storable.ts';
import { Blotter } from '../tools/blotter.ts';
import { answerOf } from './answer.ts';
import { attempt, type Attempt } from './attempt.ts';
import { faultOf, ModelFault } from './faults.ts';
import type { ModelUrls } from './urls.ts';

const mostAttempts = 4;
const firstWaitMs = 500;
const longestWaitMs = 8_000;
/** An attempt with less time left than this is not made. */
const leastMs = 1_000;
/** Characters of what is told of a failure. */
const longestMessage = 500;
/** How exact a credential's `lastUsedAt` is, in milliseconds. */
const useMs = 60_000;

export interface ModelServices {
  readonly urls: ModelUrls;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Notes that a credential was used. A rejection is logged. */
  readonly used: (credential: ByokCredential, at: Date) => Promise<void>;
}

/** The models of the three providers: see `Models`. */
export function modelsOf(services: ModelServices): Models {
  const { urls, clock, random } = services;

  /** The answer, or the fault of the last attempt. Rejects with the signal's reason. */
  async function withKey(plan: Plan, order: Attempt): Promise<ModelAnswer | ModelFault> {
    if (!fitsHeader(order.key)) return new ModelFault('key_rejected', 'the key is not one that can be sent');
    let shown = false;
    for (let attempts = 1; ; attempts++) {
      // What was shown of an answer that broke off is not shown again from its beginning.
      const silent = shown;
      const onDelta = (text: string): void => {
        shown = true;
        if (!silent) order.onDelta(text);
      };
      try {
        return await answerOf(await attempt({ ...order, onDelta }, urls, clock), plan, clock.now());
      } catch (error) {
        if (order.signal.aborted) throw order.signal.reason;
        const fault = faultOf(error, clock.now());
        if (fault.errorCode === 'internal_error') services.log.error(nameOf(error), 'a model was not asked');
        if (!fault.passes || attempts === mostAttempts) return fault;
        const wait = fault.retryAfterMs ?? backoffMs(attempts, firstWaitMs, longestWaitMs, random);
        if (clock.now() + wait + leastMs > order.deadline) return fault;
        await pauseUnless(clock, wait, order.signal);
      }
    }
  }

  function noteUse(credential: ByokCredential): void {
    const now = clock.now();
    if (now - Date.parse(credential.lastUsedAt ?? '1970-01-01T00:00:00Z') < useMs) return;
    services
      .used(credential, new Date(now))
      .catch((err: unknown) => services.log.warn({ err }, 'the use of a key was not noted'));
  }

  return {
    async answer(plan, order, signal, onDelta): Promise<ModelOutcome> {
      const { resource, keys } = plan.credential;
      const { turns, deadline } = order satisfies StepOrder;
      let fault = new ModelFault('key_rejected', 'there is no key');
      for (const key of keys) {
        const outcome = await withKey(plan, { plan, key, turns, deadline, signal, onDelta });
        if (!(outcome instanceof ModelFault)) {
          noteUse(resource);
          return outcome;
        }
        fault = outcome;
        if (fault.errorCode !== 'key_rejected') break;
      }
      const { errorCode, message } = fault;
      const errorMessage = new Blotter(keys)
        .text(storableText(message))
        .slice(0, longestMessage)
        .toWellFormed();
      const rejected = errorCode === 'key_rejected' ? { rejected: resource } : {};
      return { failure: { errorCode, errorMessage, ...rejected } };
    },
  };
}

/** The library's errors carry the whole prompt, which is nobody's business but the project's. */
function nameOf(error: unknown): object {
  return error instanceof Error ? { name: error.name, stack: error.stack?.slice(0, 2_000) } : {};
}

/** What fetch would refuse with a message that repeats it. */
function fitsHeader(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}
