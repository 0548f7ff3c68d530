/** What a model said, as its run takes it: calls checked against the tools of the plan, everything fit to be kept. */
import { InvalidToolInputError, NoSuchToolError } from 'ai';
import type { ModelAnswer, WantedCall } from '../commands.ts';
import type { Plan, PlannedTool } from '../services.ts';
import { mostCalls } from '../state.ts';
import { storable, storableText } from '../storable.ts';
import { faultInInput } from '../tools/input.ts';
import type { Attempted } from './attempt.ts';
import { ModelFault } from './faults.ts';
import { handoffTool, reasonOf } from './handoff.ts';
import { costMicros } from './prices.ts';

/** Calls of one answer: no model that is well wants more at once. */
const mostWanted = 128;

/** Rejects with {@link ModelFault} for a refusal, for an answer that was cut off, and for one with nothing in it. */
export async function answerOf(said: Attempted, plan: Plan, now: number): Promise<ModelAnswer> {
  const { finishReason, usage } = said;
  if (finishReason === 'content-filter') throw new ModelFault('refused', 'the model refuses to answer');
  if (finishReason === 'interrupted' || finishReason === 'error') {
    throw new ModelFault('provider_error', 'the answer ended before it was complete', true);
  }
  if (said.calls.length > mostWanted) {
    throw new ModelFault('invalid_answer', `the model wants more than ${mostWanted} calls at once`);
  }
  const text = storableText(said.text);
  const handoff = said.calls.find(({ toolName }) => toolName === handoffTool.name);
  if (text.trim() === '' && said.calls.length === 0) {
    const why = finishReason === 'length' ? ': it used all tokens that it may use' : '';
    throw new ModelFault('empty_answer', `the model answered with nothing${why}`);
  }
  return {
    text,
    // Whoever hands over makes no more calls.
    calls: handoff === undefined ? await wanted(said.calls, plan.tools) : [],
    messages: storable(said.messages),
    finishReason,
    promptCharacters: said.promptCharacters,
    promptTokens: usage.inputTokens ?? null,
    completionTokens: usage.outputTokens ?? null,
    costMicros: costMicros(plan.provider, plan.model, usage, now),
    ...(handoff === undefined ? {} : { handoff: { reason: reasonOf(storable(handoff.input)) } }),
  };
}

async function wanted(calls: Attempted['calls'], tools: readonly PlannedTool[]): Promise<WantedCall[]> {
  const checked: WantedCall[] = [];
  for (const [index, call] of calls.entries()) {
    const tool = tools.find(({ name }) => name === call.toolName);
    // Those beyond are refused by the run.
    const refusal = index < mostCalls ? await refusalOf(call, tool) : undefined;
    checked.push({
      providerCallId: call.toolCallId,
      name: storableText(call.toolName),
      toolId: tool?.toolId ?? null,
      ...(tool === undefined ? {} : { attemptMs: tool.timeoutMs }),
      arguments: storable(call.input),
      ...(refusal === undefined ? {} : { refusal }),
    });
  }
  return checked;
}

async function refusalOf(
  call: Attempted['calls'][number],
  tool: PlannedTool | undefined,
): Promise<string | undefined> {
  const error = call.invalid === true ? call.error : undefined;
  if (tool === undefined || NoSuchToolError.isInstance(error)) return 'there is no such tool';
  if (InvalidToolInputError.isInstance(error)) return 'the arguments are not valid JSON';
  return faultInInput(tool.inputSchema, call.input);
}
