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

/** In cents, by order. */
const paid = new Map([
  ['A17', 4_900],
  ['B42', 12_900],
]);

/**
 * Your code. The model is told what the body says, so write for it: a 4xx with a reason lets it ask the person again. 429 and 5xx are
 * tried again where the tool's `retryMaxAttempts` allows it.
 *
 * @param {{ orderId?: unknown }} input what the tool's inputSchema lets through
 * @returns {Promise<Answer>}
 */
async function refund({ orderId }) {
  const amount = paid.get(String(orderId));
  if (amount === undefined) return { status: 404, body: { reason: `There is no order ${orderId}.` } };
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
 * @param {Buffer} body
 */
function refundOnce(key, body) {
  let answer = answers.get(key);
  if (answer === undefined) {
    answer = refund(JSON.parse(body.toString()));
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    const [oldest] = answers.keys();
    if (answers.size > rememberedCalls && oldest !== undefined) answers.delete(oldest);
  }
  return answer;
}

/**
 * Service-Signature: t=<unix seconds>,v1=<hex>, an HMAC-SHA256 of "t.body" with the tool's secret. Five minutes are for clocks that
 * differ.
 *
 * @param {string} header
 * @param {Buffer} body the bytes as they came
 */
function isFromSkein(header, body) {
  const [, time = ''] = /^t=(\d+),v1=[0-9a-f]{64}$/.exec(header) ?? [];
  const code = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
  const expected = `t=${time},v1=${code}`;
  if (header.length !== expected.length || !timingSafeEqual(Buffer.from(header), Buffer.from(expected)))
    return false;
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
  const { 'service-signature': signature, 'idempotency-key': key } = request.headers;
  if (!isFromSkein(String(signature), body))
    return { status: 401, body: { reason: 'The signature is wrong.' } };
  return refundOnce(String(key), body);
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
