// @ts-check
/**
 * Receives the webhooks of a stitch: checks that Skein has sent them, handles each event once, and answers.
 *
 *   SKEIN_WEBHOOK_SECRET=whsec_... node main.mjs
 *
 * Replace `handle` with what your system does with an event. Node 22.18 or newer.
 */
import { createServer } from 'node:http';
// In a project of your own: from '@skein/sdk/webhooks'.
import { constructEvent, SignatureError } from '../../clients/sdk/webhooks.ts';

const { SKEIN_WEBHOOK_SECRET: secret = '', HOST: host = '127.0.0.1', PORT: port = '9000' } = process.env;

/** An event repeats the resource that it is about, whose metadata may have a megabyte. */
const maxBodyBytes = 4_194_304;
const rememberedEvents = 10_000;

/** @typedef {import('../../clients/sdk/index.ts').SkeinEvent} Event */

/**
 * Your code. When it throws, Skein hears 500 and delivers the event again later.
 *
 * @param {Event} event
 */
async function handle({ eventName, data }) {
  const { threadId = '-' } = data;
  console.log(eventName, threadId, 'message' in data ? JSON.stringify(data.message.body) : '');
}

/**
 * The events that were begun, by id. Skein delivers an event again when it has heard no 2xx, so the same event may come twice.
 * This memory ends with the process. Where an event must never be handled twice, insert its id into a table with a unique key, in
 * the same transaction as the work.
 *
 * @type {Map<string, Promise<void>>}
 */
const handled = new Map();

/** @param {Event} event */
function handleOnce(event) {
  const { eventId } = event;
  let work = handled.get(eventId);
  if (work === undefined) {
    work = handle(event);
    handled.set(eventId, work);
    work.catch(() => handled.delete(eventId));
    const [oldest] = handled.keys();
    if (handled.size > rememberedEvents && oldest !== undefined) handled.delete(oldest);
  }
  return work;
}

/**
 * The body as it came, or undefined when it is too long. JSON that was parsed and written again has another signature.
 *
 * @param {import('node:http').IncomingMessage} request
 */
async function read(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The status to answer with. Skein takes any 2xx for success and repeats after everything else; 410 would disable the stitch.
 *
 * @param {import('node:http').IncomingMessage} request
 */
async function receive(request) {
  if (request.method !== 'POST') return 405;
  const body = await read(request);
  if (body === undefined) return 413;
  await handleOnce(await constructEvent(secret, { headers: request.headers, body }));
  return 204;
}

if (secret === '')
  throw new Error('SKEIN_WEBHOOK_SECRET is missing: the answer that created the stitch shows it');

const server = createServer((request, response) => {
  receive(request)
    .catch(error => {
      if (error instanceof SignatureError) return 401;
      console.error(error);
      return 500;
    })
    .then(status => response.writeHead(status).end());
});
server.listen(Number(port), host, () => {
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : port;
  console.log(`listening on http://${host}:${bound}`);
});
