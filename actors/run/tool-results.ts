/** What a model is told of its tool calls, in the form of the model library. */
import type { OpenCall } from './state.ts';
import type { TracedCall } from './trace.ts';

type Output =
  | { readonly type: 'json' | 'error-json'; readonly value: unknown }
  | { readonly type: 'error-text'; readonly value: string };

/** One message for all calls of a step, in their order. */
export function toolResults(calls: readonly TracedCall[], open: readonly OpenCall[]): unknown {
  const content = calls.map((call, i) => ({
    type: 'tool-result',
    toolCallId: open[i]?.providerCallId ?? call.callId,
    toolName: call.name,
    output: outputOf(call),
  }));
  return { role: 'tool', content };
}

function outputOf({ status, result, error }: TracedCall): Output {
  if (status === 'succeeded') return { type: 'json', value: result };
  if (result !== null) return { type: 'error-json', value: result };
  return { type: 'error-text', value: error ?? 'the call has failed' };
}
