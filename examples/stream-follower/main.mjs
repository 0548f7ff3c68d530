// @ts-check
/**
 * Follows a project's events over the Console stream and prints each as one line of JSON. Keeps its place in a file, so that nothing
 * is missing after a lost connection, a restart of the server, or one of its own.
 *
 *   SKEIN_API_KEY=svc_test_... CURSOR_FILE=cursor.json node main.mjs
 *
 * SKEIN_API_KEY is an API key with threads:read and messages:read; or the access token of a Console member, and then SKEIN_PROJECT_ID says
 * which project. Node 22.18 or newer.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
// In a project of your own: from '@skein/sdk'.
import { Skein } from '../../clients/sdk/index.ts';

const { CURSOR_FILE: cursorFile = '' } = process.env;

/** @typedef {import('../../clients/sdk/index.ts').Cursor} Cursor */

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
 * @param {Cursor} cursor
 */
function save(cursor) {
  if (cursorFile === '') return;
  writeFileSync(`${cursorFile}.new`, JSON.stringify(cursor));
  renameSync(`${cursorFile}.new`, cursorFile);
}

// It ends between two events: one that was printed and not saved would be printed again after the next start.
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

const items = new Skein().stream({
  from: load(),
  signal: stop.signal,
  onDisconnect: ({ code, reason }) => console.error(`closed: ${code} ${reason}`),
});
try {
  for await (const item of items) {
    if (item.type === 'event' || item.type === 'ephemeral') console.log(JSON.stringify(item.event));
    if (item.type === 'resumed') console.error(`following from ${item.cursor.seq}`);
    // Events are missing, because the cursor was too old: whoever reads this has to read the state anew.
    if (item.type === 'reset') console.log(JSON.stringify({ reset: item.reason }));
    if (item.type !== 'ephemeral') save(item.cursor);
  }
} catch (error) {
  // Wrong credentials, no membership, no such project: the next attempt would be answered the same.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
