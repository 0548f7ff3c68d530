/**
 * One attempt at one model step: the stream is read to its end, and pieces of text are shown as they come. The library makes no
 * attempts of its own, and runs no tools.
 */
import {
  isStepCount,
  jsonSchema,
  streamText,
  type JSONSchema7,
  type LanguageModelUsage,
  type ModelMessage,
  type ToolSet,
  type TypedToolCall,
} from 'ai';
import type { Clock } from '../../../runtime/clock.ts';
import type { Plan } from '../services.ts';
import { handoffTool } from './handoff.ts';
import { ModelFault } from './faults.ts';
import { modelOf } from './library.ts';
import type { ModelUrls } from './urls.ts';

/** A model that says nothing for so long has stopped, in milliseconds. */
const longestSilenceMs = 60_000;
/** Characters of an answer, its thoughts and its tool calls: far beyond what any model writes in one step. */
const longestAnswer = 1_000_000;

export interface Attempt {
  readonly plan: Plan;
  readonly key: string;
  readonly turns: readonly unknown[];
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly onDelta: (text: string) => void;
}

/** What a model said, as the library gives it. */
export interface Said {
  readonly text: string;
  readonly calls: readonly TypedToolCall<ToolSet>[];
  readonly messages: readonly unknown[];
  readonly finishReason: string;
  readonly usage: LanguageModelUsage;
  readonly promptCharacters: number;
}

/** Rejects with the signal's reason, with a {@link ModelFault}, or with an error of the library: see `faultOf`. */
export async function attempt(order: Attempt, urls: ModelUrls, clock: Clock): Promise<Said> {
  const { plan, key, signal } = order;
  let promptCharacters = 0;
  const model = modelOf({ ...plan, key }, urls, characters => (promptCharacters = characters));
  const patience = new Patience(clock, order.deadline);
  let failure: { readonly error: unknown } | undefined;
  try {
    const result = streamText({
      model,
      instructions: plan.systemPrompt,
      messages: [...plan.history, ...order.turns] as ModelMessage[],
      tools: toolsOf(plan),
      stopWhen: isStepCount(1),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, patience.signal]),
      ...(plan.temperature === null ? {} : { temperature: plan.temperature }),
      ...(plan.maxTokens === null ? {} : { maxOutputTokens: plan.maxTokens }),
      // Without it the library writes them on the console; here they come with the stream.
      onError: () => undefined,
    });
    let text = '';
    let length = 0;
    for await (const part of result.fullStream) {
      patience.heard();
      if (part.type === 'error') failure ??= part;
      else if (part.type === 'text-delta') {
        text += part.text;
        if (part.text !== '') order.onDelta(part.text);
      }
      length += lengthOf(part);
      if (length > longestAnswer) patience.end(new ModelFault('invalid_answer', 'the answer does not end'));
    }
    if (signal.aborted || patience.signal.aborted) throw new Error('ended');
    if (failure !== undefined) throw failure.error;
    return {
      text,
      calls: await result.toolCalls,
      // What the library says of calls that cannot be made is not the model's, and the run says it itself.
      messages: (await result.response).messages.filter(({ role }) => role === 'assistant'),
      finishReason: await result.finishReason,
      usage: await result.usage,
      promptCharacters,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (patience.signal.aborted) throw patience.signal.reason;
    throw failure?.error ?? error;
  } finally {
    patience.stop();
  }
}

function lengthOf(part: {
  readonly type: string;
  readonly text?: unknown;
  readonly delta?: unknown;
}): number {
  if (typeof part.text === 'string') return part.text.length;
  return typeof part.delta === 'string' ? part.delta.length : 0;
}

/** Without `execute`: the run makes the calls itself. */
function toolsOf({ tools }: Plan): ToolSet {
  return Object.fromEntries(
    [...tools, handoffTool].map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema(inputSchema as JSONSchema7) },
    ]),
  );
}

/** Ends an attempt that is silent for too long, or beyond its deadline. */
class Patience {
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  readonly #deadline: { cancel(): void };
  #silence: { cancel(): void };
  #heardAt: number;

  constructor(clock: Clock, deadline: number) {
    this.#clock = clock;
    this.#heardAt = clock.monotonic();
    const timeout = (what: string, passes: boolean) => () =>
      this.end(new ModelFault('timeout', `the model did not answer: ${what}`, passes));
    const left = Math.max(0, deadline - clock.now());
    this.#deadline = clock.after(left, timeout("the run's time is over", false));
    const listen = (ms: number): { cancel(): void } =>
      clock.after(ms, () => {
        const silent = clock.monotonic() - this.#heardAt;
        if (silent < longestSilenceMs) this.#silence = listen(longestSilenceMs - silent);
        else timeout(`it was silent for ${longestSilenceMs / 1_000} s`, true)();
      });
    this.#silence = listen(longestSilenceMs);
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  end(fault: ModelFault): void {
    this.#ended.abort(fault);
  }

  stop(): void {
    this.#deadline.cancel();
    this.#silence.cancel();
  }
}
