// @ts-check
/**
 * Receives the webhooks of a stitch: checks that Skein has sent them, handles each event once, and answers.
 *
 *   WEBHOOK_SECRET=whsec_... node main.mjs
 *
 * Replace `handle` with what your system does with an event. Node 18 or newer; no other dependency.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret = '', HOST: host = '127.0.0.1', PORT: port = '9000' } = process.env;

/** An event repeats the resource that it is about, whose metadata may have a megabyte. */
const maxBodyBytes = 4_194_304;
/** How far a signature's time may be from this machine's clock. A request that was recorded is worthless afterwards. */
const toleranceSeconds = 300;
const rememberedEvents = 10_000;

/**
 * @typedef {object} Event
 * @property {string} eventId
 * @property {string} eventName
 * @property {string} occurredAt
 * @property {string} projectId
 * @property {{ threadId?: string, sequence?: number, message?: { direction: string, body: string } }} data
 */

/**
 * Your code. When it throws, Skein hears 500 and delivers the event again later.
 *
 * @param {Event} event
 */
async function handle({ eventName, data }) {
  const { threadId = '-', message } = data;
  console.log(eventName, threadId, message === undefined ? '' : JSON.stringify(message.body));
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
 * Service-Signature: t=<unix seconds>,v1=<hex>. Each v1 is an HMAC-SHA256 of "t.body" with one secret: there are two while the
 * stitch's secret is being rotated.
 *
 * @param {string} header
 * @param {Buffer} body the bytes as they came: JSON that was parsed and written again has another signature
 */
function isGenuine(header, body) {
  let time = '';
  /** @type {Buffer[]} */
  const signatures = [];
  for (const part of header.split(',')) {
    if (part.startsWith('t=')) time = part.slice(2);
    if (part.startsWith('v1=')) signatures.push(Buffer.from(part.slice(3), 'hex'));
  }
  const age = Math.abs(Date.now() / 1_000 - Number(time));
  if (time === '' || !(age <= toleranceSeconds)) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return signatures.some(given => given.length === expected.length && timingSafeEqual(given, expected));
}

/**
 * The body, or undefined when it is too long.
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
  if (!isGenuine(String(request.headers['service-signature']), body)) return 401;
  await handleOnce(JSON.parse(body.toString()));
  return 204;
}

if (secret === '') throw new Error('WEBHOOK_SECRET is missing: the answer that created the stitch shows it');

const server = createServer((request, response) => {
  receive(request)
    .catch(error => {
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
