// @ts-check
/**
 * Connects a custom channel with a messaging provider that has a small HTTP API. What participants write goes to Skein, what Skein
 * wants sent goes to the provider, and the provider's receipts go back to Skein.
 *
 *   SKEIN_API_KEY=svc_test_... CHANNEL_ID=ch_... PROVIDER_URL=https://provider.example/messages node main.mjs
 *
 * The provider calls POST /incoming {id, from, text} and POST /status {id, status}, and takes {to, text} at PROVIDER_URL, which it
 * answers with {id}. Change `handlers` and `sendByProvider` to suit yours. Node 22.18 or newer.
 */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
// In a project of your own: from '@skein/sdk'.
import { ApiError, Skein } from '../../clients/sdk/index.ts';

const { CHANNEL_ID: channelId = '', PROVIDER_URL: providerUrl = '' } = process.env;
const { HOST: host = '127.0.0.1', PORT: port = '9002' } = process.env;

/** Without a word from a webhook, commands are looked for this often. */
const pollMs = 2_000;
const maxBodyBytes = 1_048_576;

/**
 * The one command that there is: to send a message.
 *
 * @typedef {import('../../clients/sdk/index.ts').ChannelMessageRequestedEvent} Command
 */
/** @typedef {import('../../clients/sdk/index.ts').ReceiptBody} Receipt */

/** What got no answer, 429 or 5xx is repeated, under one Idempotency-Key. The provider waits for an answer to what it reports. */
const skein = new Skein({ maxRetries: 3, timeoutMs: 15_000, maxWaitMs: 15_000 });

/** What the provider refuses: a repetition would not change it. */
class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} text
   */
  constructor(status, text) {
    super(`${status}: ${text}`);
    this.status = status;
  }
}

/** @param {Omit<Receipt, 'occurredAt'>} receipt */
const report = receipt =>
  skein.channels.recordReceipt(channelId, { occurredAt: new Date().toISOString(), ...receipt });

/** @type {Record<string, (body: any) => Promise<unknown> | void>} */
const handlers = {
  // The provider's own id is the Idempotency-Key: what it reports twice is one message.
  '/incoming': ({ id, from, text }) =>
    skein.channels.receive(
      channelId,
      { externalParticipantRef: from, body: text, metadata: { providerId: id } },
      { idempotencyKey: `provider-${id}` },
    ),
  '/status': ({ id, status }) => report({ externalMessageId: id, status }),
  // The webhook of a stitch for channel.message.requested. It only wakes the poll, so that a forged one does no harm.
  '/wake': () => wake(),
};

/**
 * Asks the provider to send. The message's id lets it recognise a repetition.
 *
 * @param {Command} command
 * @returns {Promise<string>} the provider's id of the message
 */
async function sendByProvider({ data: { externalRef, message } }) {
  const response = await fetch(providerUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': message.messageId },
    body: JSON.stringify({ to: externalRef, text: message.body }),
    signal: AbortSignal.timeout(15_000),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text).id;
  if (response.status !== 429 && response.status < 500) throw new Refused(response.status, text);
  throw new Error(`the provider answered ${response.status}`);
}

/**
 * Sends, reports, acknowledges: in this order, so that a crash in between leaves the command on the list, and it is carried out again.
 *
 * @param {Command} command
 */
async function perform(command) {
  const { messageId } = command.data.message;
  /** @type {Omit<Receipt, 'occurredAt'>} */
  let receipt;
  try {
    receipt = { messageId, externalMessageId: await sendByProvider(command), status: 'sent' };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const reason = { code: `http_${error.status}`, message: error.message.slice(0, 1_024) };
    receipt = { messageId, status: 'failed', error: reason };
  }
  await report(receipt);
  await skein.channels.acknowledgeCommand(channelId, command.eventId);
  console.log(`done: ${messageId}`);
}

/** Goes through the open commands, oldest first. A thread whose message cannot be sent now waits: its messages stay in order. */
async function performAll() {
  const held = new Set();
  for await (const listed of skein.channels.listCommands(channelId, { limit: 100 })) {
    const command = /** @type {Command} */ (/** @type {unknown} */ (listed));
    const { threadId } = command.data;
    if (held.has(threadId)) continue;
    try {
      await perform(command);
    } catch (error) {
      console.error(`${command.eventId} is tried again later:`, error);
      held.add(threadId);
    }
  }
}

/** Ends the wait between two polls. */
let wake = () => {};

/** @param {import('node:http').IncomingMessage} request */
async function serve(request) {
  const handler = handlers[String(request.url)];
  if (request.method !== 'POST' || handler === undefined) return 404;
  const chunks = [];
  let room = maxBodyBytes;
  for await (const chunk of request) {
    room -= chunk.length;
    if (room < 0) return 413;
    chunks.push(chunk);
  }
  // Providers sign what they send, each in its own way: check it here.
  await handler(JSON.parse(Buffer.concat(chunks).toString()));
  return 204;
}

const server = createServer((request, response) => {
  serve(request)
    .catch(error => {
      console.error(error);
      const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
      return isRefused ? 422 : 503;
    })
    .then(status => response.writeHead(status).end());
});
server.listen(Number(port), host, () => {
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : port;
  console.log(`listening on http://${host}:${bound}`);
});

for (;;) {
  const woken = new Promise(resolve => (wake = () => resolve(undefined)));
  await performAll().catch(error => console.error('the commands could not be listed:', error));
  await Promise.race([woken, pause(pollMs)]);
}
