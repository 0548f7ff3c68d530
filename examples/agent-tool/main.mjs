// @ts-check
/**
 * An HTTP tool for an agent: refunds an order. It checks that Skein calls, and refunds once however often a call is repeated.
 *
 *   TOOL_SECRET=... node main.mjs
 *
 * Replace `refund` with what your tool does. Node 18 or newer; no other dependency.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { TOOL_SECRET: secret = '', HOST: host = '127.0.0.1', PORT: port = '9001' } = process.env;

/** A model's arguments have 64 KiB at most. */
const maxBodyBytes = 65_536;
const rememberedCalls = 10_000;

/** @typedef {{ status: number, body: object }} Answer */

/** In cents, by order; and whose they are, where it matters to you. */
const paid = new Map([
  ['A17', { cents: 4_900, of: undefined }],
  ['B42', { cents: 12_900, of: undefined }],
  ['C63', { cents: 700, of: 'customer-42' }],
]);

/**
 * Your code. The model is told what the body says, so write for it: a 4xx with a reason lets it ask the person again. 429 and 5xx are
 * tried again where the tool's `retryMaxAttempts` allows it.
 *
 * @param {{ orderId?: unknown }} input what the tool's inputSchema lets through
 * @param {string | undefined} participant who is talking to the model
 * @returns {Promise<Answer>}
 */
async function refund({ orderId }, participant) {
  const order = paid.get(String(orderId));
  if (
    order === undefined ||
    (order.of !== undefined && participant !== undefined && order.of !== participant)
  ) {
    return { status: 404, body: { reason: `There is no order ${orderId}.` } };
  }
  const amount = order.cents;
  const refundId = randomUUID();
  console.log(`refunded ${orderId}: ${amount} cents, ${refundId}`);
  return { status: 200, body: { refundId, orderId, amount, currency: 'EUR' } };
}

/**
 * The answers by Idempotency-Key, which is the call's and the same in all of its attempts. Skein repeats an attempt that got no
 * answer, and cannot know whether it was carried out. This memory ends with the process: keep the key in your database, in the
 * same transaction as the refund.
 *
 * @type {Map<string, Promise<Answer>>}
 */
const answers = new Map();

/**
 * @param {string} key
 * @param {string | undefined} participant
 * @param {Buffer} body
 */
function refundOnce(key, participant, body) {
  let answer = answers.get(key);
  if (answer === undefined) {
    answer = refund(JSON.parse(body.toString()), participant);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    const [oldest] = answers.keys();
    if (answers.size > rememberedCalls && oldest !== undefined) answers.delete(oldest);
  }
  return answer;
}

const signedHeaders = ['idempotency-key', 'service-run-id', 'service-thread-id', 'service-participant-ref'];

/**
 * Service-Signature: t=<unix seconds>,v1=<hex>,v2=<hex>. `v2` is an HMAC-SHA256 of the whole request with the tool's secret. Five minutes
 * are for clocks that differ.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {Buffer} body the bytes as they came
 */
function isFromSkein({ method, url, headers }, body) {
  const header = String(headers['service-signature']);
  const [, time = '', code = ''] = /^t=(\d+),.*\bv2=([0-9a-f]{64})$/.exec(header) ?? [];
  const lines = [time, method, url, ...signedHeaders.map(name => headers[name] ?? '')];
  const expected = createHmac('sha256', secret)
    .update(lines.map(line => `${line}\n`).join(''))
    .update(body)
    .digest();
  const given = Buffer.from(code, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return Math.abs(Date.now() / 1_000 - Number(time)) <= 300;
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<Answer>}
 */
async function answerTo(request) {
  const chunks = [];
  let room = maxBodyBytes;
  for await (const chunk of request) {
    room -= chunk.length;
    if (room < 0) return { status: 413, body: { reason: 'The arguments are too long.' } };
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isFromSkein(request, body)) return { status: 401, body: { reason: 'The signature is wrong.' } };
  // Whatever the model was talked into: an order of somebody else is not refunded. A test is nobody's.
  const { 'idempotency-key': key, 'service-participant-ref': ref } = request.headers;
  const participant = ref === undefined ? undefined : decodeURIComponent(String(ref));
  return refundOnce(String(key), participant, body);
}

if (secret === '')
  throw new Error('TOOL_SECRET is missing: signingSecret in the answer that created the tool');

const server = createServer(async (request, response) => {
  /** @type {Answer} */
  let answer = { status: 500, body: { reason: 'The refund has failed.' } };
  try {
    answer = await answerTo(request);
  } catch (error) {
    console.error(error);
  }
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
});
server.listen(Number(port), host, () => {
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : port;
  console.log(`listening on http://${host}:${bound}`);
});
