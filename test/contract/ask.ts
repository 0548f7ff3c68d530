/** Sends a request of any operation of the table, also of those that are websockets, and holds the answer against its row. */
import { WebSocket } from 'ws';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import { hold, buildPath, type Asked, type Client, type Reply } from '../node/client.ts';

/** @param options `held` false: whatever the answer is */
export async function ask(
  by: Client,
  id: OperationId,
  asked: Asked,
  options: { readonly held: boolean } = { held: true },
): Promise<Reply<unknown>> {
  const operation: Operation = operations[id];
  if (operation.auth !== 'stream') return options.held ? by.ask(id, asked) : by.request(id, asked);
  const reply = await knock(by, buildPath(operation, asked), asked.headers);
  if (options.held) hold(id, operation, reply);
  return reply;
}

/** The answer to a request for an upgrade; a socket that opens is closed again. */
function knock(by: Client, path: string, headers: Asked['headers'] = {}): Promise<Reply<unknown>> {
  const authorization = by.bearer === undefined ? {} : { authorization: `Bearer ${by.bearer}` };
  const socket = new WebSocket(`${by.line.url.replace('http', 'ws')}${path}`, {
    headers: { ...authorization, ...headers },
  });
  return new Promise((resolve, reject) => {
    socket.on('upgrade', ({ headers }) => {
      socket.once('open', () => socket.terminate());
      resolve({ status: 101, headers, text: '', body: undefined });
    });
    socket.on('unexpected-response', (_, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, text, body: JSON.parse(text) as unknown });
      });
    });
    socket.on('error', reject);
  });
}
