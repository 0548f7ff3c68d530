/** Turns what a model said into the answer for its run: calls are checked against the tools of the plan, and everything is storable. */
import { InvalidToolInputError, NoSuchToolError } from 'ai';
import type { ModelAnswer, ModelUse, RequestedCall, RunErrorCode } from '../commands.ts';
import type { Plan, PlannedTool } from '../services.ts';
import { maxCalls } from '../state.ts';
import { toStorable, toStorableText } from '../storable.ts';
import { findInputFault } from '../tools/input.ts';
import type { AttemptOutput } from './attempt.ts';
import { ModelFault } from './faults.ts';
import { handoffTool, toHandoffReason } from './handoff.ts';
import { costMicros } from './prices.ts';

/** No sound model wants more calls in one answer. */
const maxWantedCalls = 128;

/**
 * Rejects with a {@link ModelFault}, which has what the answer has used, for a refusal, for an answer that broke off, and for one that is
 * empty or wants too many calls. One that ended at its limit of tokens is an answer, as far as it goes.
 */
export async function toModelAnswer(output: AttemptOutput, plan: Plan, now: number): Promise<ModelAnswer> {
  const { finishReason, usage } = output;
  const use: ModelUse = {
    promptTokens: usage.inputTokens ?? null,
    completionTokens: usage.outputTokens ?? null,
    costMicros: costMicros(plan.provider, plan.model, usage, now),
  };
  const createFault = (errorCode: RunErrorCode, words: string, isTransient = false): ModelFault =>
    new ModelFault(errorCode, words, isTransient, { use });
  if (finishReason === 'content-filter') throw createFault('refused', 'the model refuses to answer');
  if (finishReason === 'interrupted' || finishReason === 'error') {
    throw createFault('provider_error', 'the answer ended before it was complete', true);
  }
  if (output.calls.length > maxWantedCalls) {
    throw createFault('invalid_answer', `the model wants more than ${maxWantedCalls} calls at once`);
  }
  const text = toStorableText(output.text);
  const handoff = output.calls.find(({ toolName }) => toolName === handoffTool.name);
  if (text.trim() === '' && output.calls.length === 0) {
    const why = finishReason === 'length' ? ': it used all tokens that it may use' : '';
    throw createFault('empty_answer', `the model answered with nothing${why}`);
  }
  return {
    text,
    // A model that asks for a human makes no more calls.
    calls: handoff === undefined ? await toRequestedCalls(output.calls, plan.tools) : [],
    messages: toStorable(output.messages),
    finishReason,
    promptCharacters: output.promptCharacters,
    ...use,
    ...(handoff === undefined ? {} : { handoff: { reason: toHandoffReason(toStorable(handoff.input)) } }),
  };
}

async function toRequestedCalls(
  calls: AttemptOutput['calls'],
  tools: readonly PlannedTool[],
): Promise<RequestedCall[]> {
  const checked: RequestedCall[] = [];
  for (const [index, call] of calls.entries()) {
    const tool = tools.find(({ name }) => name === call.toolName);
    // The run refuses calls beyond the limit.
    const refusal = index < maxCalls ? await findRefusal(call, tool) : undefined;
    checked.push({
      providerCallId: call.toolCallId,
      name: toStorableText(call.toolName),
      toolId: tool?.toolId ?? null,
      ...(tool === undefined ? {} : { attemptMs: tool.timeoutMs }),
      ...(tool?.requiresApproval ? { requiresApproval: true } : {}),
      arguments: toStorable(call.input),
      ...(refusal === undefined ? {} : { refusal }),
    });
  }
  return checked;
}

async function findRefusal(
  call: AttemptOutput['calls'][number],
  tool: PlannedTool | undefined,
): Promise<string | undefined> {
  const error = call.invalid === true ? call.error : undefined;
  if (tool === undefined || NoSuchToolError.isInstance(error)) return 'there is no such tool';
  if (InvalidToolInputError.isInstance(error)) return 'the arguments are not valid JSON';
  return findInputFault(tool.inputSchema, call.input);
}
