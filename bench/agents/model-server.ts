/**
 * A model that follows a script, in a process of its own: OpenAI's wire format, streamed. The script is the last message of the user:
 * `steps=4 calls=2 delayMs=0` is four answers that call two tools each and then a text, each after that delay.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endWithParent } from '../support/child.ts';

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

function parseScript({ messages }: ChatRequest): { steps: number; calls: number; delayMs: number } {
  const said = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  const number = (name: string): number => Number(new RegExp(`${name}=(\\d+)`).exec(said)?.[1] ?? 0);
  return { steps: number('steps'), calls: number('calls'), delayMs: number('delayMs') };
}

let made = 0;

function createChunks(request: ChatRequest): readonly object[] {
  const { steps, calls } = parseScript(request);
  const results = request.messages.filter(({ role }) => role === 'tool').length;
  const names = (request.tools ?? [])
    .map(tool => tool.function.name)
    .filter(name => name !== 'request_human');
  const head = { id: 'chat', object: 'chat.completion.chunk', created: 0, model: 'bench' };
  const chunk = (delta: object, finish: string | null): object => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const tokens = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 };
  const usage = { ...head, choices: [], usage: tokens };
  if (results >= steps * calls) {
    const words = ['It ', 'is ', 'done.'].map(content => chunk({ role: 'assistant', content }, null));
    return [...words, chunk({}, 'stop'), usage];
  }
  const wanted = Array.from({ length: calls }, (_, index) => ({
    index,
    id: `call_${made++}`,
    type: 'function',
    function: {
      name: names[index % names.length] ?? 'none',
      arguments: JSON.stringify({ n: results + index }),
    },
  }));
  return [chunk({ role: 'assistant', tool_calls: wanted }, null), chunk({}, 'tool_calls'), usage];
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  await once(request, 'end');
  const asked = JSON.parse(Buffer.concat(parts).toString()) as ChatRequest;
  setTimeout(() => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of createChunks(asked)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  }, parseScript(asked).delayMs);
}

const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
endWithParent();
