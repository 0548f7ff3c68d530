// @ts-check
/**
 * Connects a custom channel with a messaging provider that has a small HTTP API. What participants write goes to Skein, what Skein
 * wants sent goes to the provider, and the provider's receipts go back to Skein.
 *
 *   SKEIN_API_KEY=svc_test_... CHANNEL_ID=ch_... PROVIDER_URL=https://provider.example/messages node main.mjs
 *
 * The provider calls POST /incoming {id, from, text} and POST /status {id, status}, and takes {to, text} at PROVIDER_URL, which it
 * answers with {id}. Change `handlers` and `sendByProvider` to suit yours. Node 18 or newer; no other dependency.
 */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const env = process.env;
const {
  SKEIN_URL: url = 'http://127.0.0.1:8080',
  SKEIN_API_KEY: apiKey = '',
  CHANNEL_ID: channelId = '',
} = env;
const { PROVIDER_URL: providerUrl = '', HOST: host = '127.0.0.1', PORT: port = '9002' } = env;

/** Without a word from a webhook, commands are looked for this often. */
const pollMs = 2_000;
/** The provider waits for an answer to what it reports: after this many attempts it is told to come again. */
const attempts = 4;
const maxBodyBytes = 1_048_576;

/**
 * @typedef {object} Command
 * @property {string} eventId
 * @property {{ threadId: string, externalRef: string, message: { messageId: string, body: string } }} data
 */

/** An answer that a repetition would not change. */
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

/**
 * A request to Skein. Repeats what got no answer, 429 or 5xx: with the same Idempotency-Key that is safe.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key] the Idempotency-Key
 */
async function skein(method, path, body, key) {
  for (let attempt = 1; ; attempt++) {
    /** @type {Response | undefined} */
    let response;
    try {
      response = await fetch(`${url}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(key && { 'idempotency-key': key }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(15_000),
      });
      const text = await response.text();
      if (response.ok) return text === '' ? undefined : JSON.parse(text);
      if (response.status !== 429 && response.status < 500) throw new Refused(response.status, text);
      throw new Error(`${response.status}: ${text}`);
    } catch (error) {
      if (error instanceof Refused || attempt >= attempts) throw error;
      const wanted = Number(response?.headers.get('retry-after') ?? 0);
      await pause(Math.max(wanted * 1_000, 250 * 2 ** attempt * Math.random()));
    }
  }
}

/** @param {object} receipt */
const report = receipt =>
  skein('POST', `/channels/${channelId}/receipts`, {
    projectId,
    occurredAt: new Date().toISOString(),
    ...receipt,
  });

/** @type {Record<string, (body: any) => Promise<unknown> | void>} */
const handlers = {
  // The provider's own id is the Idempotency-Key: what it reports twice is one message.
  '/incoming': ({ id, from, text }) =>
    skein(
      'POST',
      `/channels/${channelId}/inbound-messages`,
      { projectId, externalParticipantRef: from, body: text, metadata: { providerId: id } },
      `provider-${id}`,
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
  /** @type {object} */
  let receipt;
  try {
    receipt = { messageId, externalMessageId: await sendByProvider(command), status: 'sent' };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const reason = { code: `http_${error.status}`, message: error.message.slice(0, 1_024) };
    receipt = { messageId, status: 'failed', error: reason };
  }
  await report(receipt);
  await skein('POST', `/channels/${channelId}/commands/${command.eventId}/ack`);
  console.log(`done: ${messageId}`);
}

/** Goes through the open commands, oldest first. A thread whose message cannot be sent now waits: its messages stay in order. */
async function performAll() {
  const held = new Set();
  let cursor = '';
  do {
    const page = await skein('GET', `/channels/${channelId}/commands?limit=100${cursor}`);
    for (const command of page.data) {
      const { threadId } = command.data;
      if (held.has(threadId)) continue;
      try {
        await perform(command);
      } catch (error) {
        console.error(`${command.eventId} is tried again later:`, error);
        held.add(threadId);
      }
    }
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== '');
}

/** Ends the wait between two polls. */
let wake = () => {};

const { projectId } = await skein('GET', `/channels/${channelId}`);

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
      return error instanceof Refused ? 422 : 503;
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
