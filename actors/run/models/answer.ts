/** What a model said, as its run takes it: calls checked against the tools of the plan, everything fit to be kept. */
import { InvalidToolInputError, NoSuchToolError } from 'ai';
import type { ModelAnswer, WantedCall } from '../commands.ts';
import type { Plan, PlannedTool } from '../services.ts';
import { storable, storableText } from '../storable.ts';
import { faultInInput } from '../tools/input.ts';
import type { Said } from './attempt.ts';
import { ModelFault } from './faults.ts';
import { handoffTool, reasonOf } from './handoff.ts';
import { costMicros } from './prices.ts';

/** Calls of one step that are made; the model is told of the rest. */
const mostCalls = 16;

/** Throws {@link ModelFault} for a refusal, for an answer that was cut off, and for one with nothing in it. */
export function answerOf(said: Said, plan: Plan, now: number): ModelAnswer {
  const { finishReason, usage } = said;
  if (finishReason === 'content-filter') throw new ModelFault('refused', 'the model refuses to answer');
  if (finishReason === 'interrupted' || finishReason === 'error') {
    throw new ModelFault('provider_error', 'the answer ended before it was complete', true);
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
    calls: handoff === undefined ? wanted(said.calls, plan.tools) : [],
    messages: storable(said.messages),
    finishReason,
    promptCharacters: said.promptCharacters,
    promptTokens: usage.inputTokens ?? null,
    completionTokens: usage.outputTokens ?? null,
    costMicros: costMicros(plan.provider, plan.model, usage, now),
    ...(handoff === undefined ? {} : { handoff: { reason: reasonOf(storable(handoff.input)) } }),
  };
}

function wanted(calls: Said['calls'], tools: readonly PlannedTool[]): WantedCall[] {
  return calls.map((call, index) => {
    const tool = tools.find(({ name }) => name === call.toolName);
    const refusal =
      index < mostCalls
        ? refusalOf(call, tool)
        : `not made: no more than ${mostCalls} calls are made in one step`;
    return {
      providerCallId: call.toolCallId,
      name: storableText(call.toolName),
      toolId: tool?.toolId ?? null,
      ...(tool === undefined ? {} : { attemptMs: tool.timeoutMs }),
      arguments: storable(call.input),
      ...(refusal === undefined ? {} : { refusal }),
    };
  });
}

function refusalOf(call: Said['calls'][number], tool: PlannedTool | undefined): string | undefined {
  const error = call.invalid === true ? call.error : undefined;
  if (tool === undefined || NoSuchToolError.isInstance(error)) return 'there is no such tool';
  if (InvalidToolInputError.isInstance(error)) return 'the arguments are not valid JSON';
  return faultInInput(tool.inputSchema, call.input);
}
