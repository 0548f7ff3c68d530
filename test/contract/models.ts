/** The models that the fixture's agents ask: one that says hello, in OpenAI's wire format, and one that never answers. */
import type { Test } from 'tap';
import { Receiver } from '../support/receiver.ts';

export const silentModel = 'silent';

const chunk = (delta: object, finish: string | null): string => {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
};

/** Gives the base address; the server ends with the test. */
export async function startModels(t: Test): Promise<string> {
  const server = await Receiver.start();
  t.teardown(() => server.stop());
  server.behaviour = ({ body }, response) => {
    if ((JSON.parse(body) as { model: string }).model === silentModel) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: 'hello' }, null));
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  return server.url('/v1');
}
