/**
 * Asks models, with retries: transient faults (rate limits, failures of the provider or of the network) are tried again, not before the
 * provider allows it and not beyond the deadline.
 */
import { backoffMs, type Clock, pause, type Random } from '../../../runtime/time/index.ts';
import type { Log } from '../../../runtime/observability/index.ts';
import type { ByokCredential } from '../../../protocol/resources/index.ts';
import type { ProviderOutcome } from '../../base/index.ts';
import { addUse, type ModelAnswer, type ModelUse } from '../commands.ts';
import type { ModelOutcome, Models } from '../services.ts';
import { toStorableText } from '../storable.ts';
import { Redactor } from '../tools/redactor.ts';
import { toModelAnswer } from './answer.ts';
import { makeAttempt, type Attempt } from './attempt.ts';
import { toModelFault, ModelFault, toProviderOutcome } from './faults.ts';
import type { ModelUrls } from './urls.ts';

const maxAttempts = 4;
const firstModelRetryMs = 500;
const maxModelRetryMs = 8_000;
/** An attempt with less time left than this is not made. */
const shortestAttemptMs = 1_000;
/** Characters of a failure's message. */
const maxMessageCharacters = 500;
/** A credential's `lastUsedAt` is noted at most this often, in milliseconds. */
const noteUseEveryMs = 60_000;

export interface ModelServices {
  readonly urls: ModelUrls;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Notes that a credential was used. A rejection is logged. */
  readonly used: (credential: ByokCredential, at: Date) => Promise<void>;
  /** Hears how each attempt has ended. */
  readonly attempted: (provider: string, outcome: ProviderOutcome) => void;
}

/** The models of the three providers. */
export function createModels(services: ModelServices): Models {
  return {
    async answer(plan, request, signal, onDelta): Promise<ModelOutcome> {
      const { resource, keys } = plan.credential;
      const { turns, deadline, traceparent } = request;
      let fault = new ModelFault('key_rejected', 'there is no key');
      /** By answers that are none. */
      let wasted: ModelUse | undefined;
      const onWaste = (use: ModelUse): void =>
        void (wasted = wasted === undefined ? use : addUse(wasted, use));
      for (const key of keys) {
        const attempt = { plan, key, turns, deadline, signal, onDelta, traceparent };
        const outcome = await askWithKey(services, attempt, onWaste);
        if (!(outcome instanceof ModelFault)) {
          noteUse(services, resource);
          return wasted === undefined ? outcome : { ...outcome, ...addUse(wasted, outcome) };
        }
        fault = outcome;
        if (fault.errorCode !== 'key_rejected') break;
      }
      const { errorCode, message } = fault;
      const errorMessage = new Redactor(keys)
        .text(toStorableText(message))
        .slice(0, maxMessageCharacters)
        .toWellFormed();
      const rejected = errorCode === 'key_rejected' ? { rejected: resource } : {};
      const use = wasted === undefined ? {} : { use: wasted };
      return { failure: { errorCode, errorMessage, ...rejected, ...use } };
    },
  };
}

/** The answer, or the fault of the last attempt. Rejects with the signal's reason. @param onWaste hears of each answer that is none */
async function askWithKey(
  { urls, clock, random, log, attempted }: ModelServices,
  attempt: Attempt,
  onWaste: (use: ModelUse) => void,
): Promise<ModelAnswer | ModelFault> {
  const { plan, signal } = attempt;
  if (!fitsHeader(attempt.key)) {
    return new ModelFault('key_rejected', 'the key is not one that can be sent');
  }
  let shown = false;
  for (let attempts = 1; ; attempts++) {
    // If part of an answer was shown before it broke off, the next answer is not shown again from its beginning.
    const isSilent = shown;
    const onDelta = (text: string): void => {
      shown = true;
      if (!isSilent) attempt.onDelta(text);
    };
    try {
      const output = await makeAttempt({ ...attempt, onDelta }, urls, clock);
      const answer = await toModelAnswer(output, plan, clock.now());
      attempted(plan.provider, 'succeeded');
      return answer;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const fault = toModelFault(error, clock.now());
      if (fault.use !== undefined) onWaste(fault.use);
      const ended = toProviderOutcome(fault);
      if (ended !== undefined) attempted(plan.provider, ended);
      if (fault.errorCode === 'internal_error') log.error(toLogFields(error), 'a model could not be asked');
      if (!fault.isTransient || attempts === maxAttempts) return fault;
      const waitMs = fault.retryAfterMs ?? backoffMs(attempts, firstModelRetryMs, maxModelRetryMs, random);
      if (clock.now() + waitMs + shortestAttemptMs > attempt.deadline) return fault;
      await pause(clock, waitMs, signal);
    }
  }
}

function noteUse({ clock, log, used }: ModelServices, credential: ByokCredential): void {
  const now = clock.now();
  if (now - Date.parse(credential.lastUsedAt ?? '1970-01-01T00:00:00Z') < noteUseEveryMs) return;
  used(credential, new Date(now)).catch((err: unknown) => log.warn({ err }, 'could not record key usage'));
}

/** The library's errors carry the whole prompt, which belongs to the project and not into the log. */
function toLogFields(error: unknown): object {
  return error instanceof Error ? { name: error.name, stack: error.stack?.slice(0, 2_000) } : {};
}

/** Otherwise `fetch` would refuse the key with a message that repeats it. */
function fitsHeader(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}
