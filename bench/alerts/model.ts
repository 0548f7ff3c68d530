/** A model that says the same to everybody: OpenAI's wire format, streamed. */
import type { Behaviour } from '../../test/support/receiver.ts';

const common = { id: 'chat', object: 'chat.completion.chunk', created: 0, model: 'bench' };
const usage = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 };
const chunks = [
  {
    ...common,
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello.' }, finish_reason: null }],
  },
  { ...common, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { ...common, choices: [], usage },
];
const answer = `${chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;

/** How it answers while it is well. */
export const answersWell: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer);
};
