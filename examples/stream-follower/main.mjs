// @ts-check
/**
 * Follows a project's events over the Console stream and prints each as one line of JSON. Keeps its place in a file, so that nothing
 * is missing after a lost connection, a restart of the server, or one of its own.
 *
 *   SKEIN_TOKEN=svc_test_... PROJECT_ID=prj_... CURSOR_FILE=cursor.json node main.mjs
 *
 * SKEIN_TOKEN is an API key with threads:read and messages:read, or the access token of a Console member. With USE_TICKET=1 it is
 * exchanged for a ticket at every connection, as browsers have to. Node 18 or newer, and the package `ws`.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

const env = process.env;
const { SKEIN_URL: url = 'http://127.0.0.1:8080', SKEIN_TOKEN: token = '', PROJECT_ID: projectId = '' } = env;
const { CURSOR_FILE: cursorFile = '', USE_TICKET: useTicket = '' } = env;

const place = `/v1/console/projects/${projectId}/events`;
const authorization = `Bearer ${token}`;
/** The server sends a ping every 25 seconds: after two of them and some, the connection is dead. */
const silenceMs = 60_000;
const maxWaitMs = 30_000;
/** These do not pass by themselves: 1003 and 1007 a frame that the server does not know, 4001 no longer authenticated, 4003 no member. */
const finalCodes = new Set([1003, 1007, 4001, 4003]);

/**
 * The last event that was printed. `epoch` names the numbering, `seq` the number.
 *
 * @typedef {{ epoch: string, seq: number }} Cursor
 * @type {Cursor | undefined}
 */
let cursor = load();

/** @returns {Cursor | undefined} */
function load() {
  try {
    return cursorFile === '' ? undefined : JSON.parse(readFileSync(cursorFile, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Renames a whole file into place: a crash leaves the old cursor or the new one.
 *
 * @param {Cursor} next
 */
function save(next) {
  cursor = next;
  if (cursorFile === '') return;
  writeFileSync(`${cursorFile}.new`, JSON.stringify(next));
  renameSync(`${cursorFile}.new`, cursorFile);
}

/** Connections in a row that came to nothing. */
let failures = 0;

/** @param {any} frame */
function take(frame) {
  switch (frame.type) {
    case 'resumed':
      failures = 0;
      console.error(`following from ${frame.seq}`);
      return save({ epoch: frame.epoch, seq: frame.seq });
    case 'reset':
      // Events are missing, because the cursor was too old: whoever reads this has to read the state anew.
      failures = 0;
      console.log(JSON.stringify({ reset: frame.reason }));
      return save({ epoch: frame.epoch, seq: frame.seq });
    case 'event':
      console.log(JSON.stringify(frame.event));
  }
  // The number of an event, or that of a ping: everything up to it was sent, so that the cursor of a quiet project stays young.
  // Events that only matter at the moment, such as typing, have none.
  if (cursor !== undefined && frame.seq !== undefined) save({ ...cursor, seq: frame.seq });
}

/** The address and headers of the next connection. @returns {Promise<[string, Record<string, string>]>} */
async function connection() {
  const stream = `${url.replace(/^http/, 'ws')}${place}/stream`;
  if (useTicket === '') return [stream, { authorization }];
  const response = await fetch(`${url}${place}/tickets`, { method: 'POST', headers: { authorization } });
  if (!response.ok) throw new HttpRefusal(response.status, response.headers.get('retry-after'));
  const { ticket } = /** @type {{ ticket: string }} */ (await response.json());
  return [`${stream}?ticket=${ticket}`, {}];
}

class HttpRefusal extends Error {
  /**
   * @param {number} status
   * @param {string | null | undefined} retryAfter
   */
  constructor(status, retryAfter) {
    super(`the server answered ${status}`);
    this.status = status;
    this.retryAfterSeconds = Number(retryAfter ?? 0);
  }
}

/** One connection, until it ends. Rejects where there was none. @returns {Promise<{ code: number, reason: string }>} */
async function follow() {
  const [address, headers] = await connection();
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, { headers, handshakeTimeout: 10_000 });
    /** @type {NodeJS.Timeout | undefined} */
    let watch;
    socket.on('open', () => socket.send(JSON.stringify({ type: 'resume', ...cursor })));
    socket.on('message', data => {
      clearTimeout(watch);
      watch = setTimeout(() => socket.terminate(), silenceMs);
      const frame = JSON.parse(String(data));
      take(frame);
      if (frame.type === 'ping') socket.send('{"type":"pong"}');
    });
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      reject(new HttpRefusal(response.statusCode ?? 0, response.headers['retry-after']));
    });
    socket.on('error', reject);
    socket.on('close', (code, reason) => {
      clearTimeout(watch);
      resolve({ code, reason: String(reason) });
    });
  });
}

// Not in the middle of an event: it would be printed again after the next start.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));

for (;;) {
  let leastMs = 0;
  try {
    const { code, reason } = await follow();
    console.error(`closed: ${code} ${reason}`);
    if (finalCodes.has(code)) process.exit(1);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof HttpRefusal) {
      // Wrong credentials, no membership, no such project: the next attempt would be answered the same.
      if (error.status < 500 && error.status !== 429) process.exit(1);
      leastMs = error.retryAfterSeconds * 1_000;
    }
  }
  // Followers that lost the same server come back one by one.
  const waitMs = Math.min(maxWaitMs, 500 * 2 ** failures++) * (0.5 + Math.random() / 2);
  await pause(Math.max(waitMs, leastMs));
}
