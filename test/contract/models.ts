/**
 * The models that the fixture's agents ask, in OpenAI's wire format: one that says hello, one that calls its first tool before, and one that
 * never answers.
 */
import { Receiver } from '../support/receiver.ts';
import type { Ending } from '../support/skein.ts';

export const silentModel = 'silent';
export const callingModel = 'calling';

interface Prompt {
  readonly model: string;
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const chunk = (delta: object, finish: string | null): string => {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
};

/** Gives the base address; the server ends with the test. */
export async function startModels(t: Ending): Promise<string> {
  const server = await Receiver.start();
  t.teardown(() => server.stop());
  server.behaviour = ({ body }, response) => {
    const { model, messages, tools = [] } = JSON.parse(body) as Prompt;
    if (model === silentModel) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const isCalling = model === callingModel && messages.every(({ role }) => role !== 'tool');
    const name = tools[0]?.function.name;
    const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: '{}' } };
    const said = isCalling ? { content: null, tool_calls: [call] } : { content: 'hello' };
    response.write(chunk({ role: 'assistant', ...said }, null));
    response.end(`${chunk({}, isCalling ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
  };
  return server.url('/v1');
}
