/** Following the events of a real node: through a kill, a stop, a reset, a cursor that was kept, and the end of the key. */
import t, { type Test } from 'tap';
import { AuthError, type Cursor, type Skein, type StreamOptions } from '../../../clients/sdk/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { rejection } from './scripted-fetch.ts';
import { createSdkAccount, shareSdkAccount, type SdkAccount } from './sdk-account.ts';

/** Numbers of the project's events, as a follower sees them until it has so many messages. */
async function collect(
  { skein }: Pick<SdkAccount, 'skein'>,
  bodies: number,
  options: StreamOptions = {},
): Promise<{ readonly seqs: number[]; readonly bodies: string[]; readonly cursor: Cursor | undefined }> {
  const seqs: number[] = [];
  const seen: string[] = [];
  let cursor: Cursor | undefined;
  for await (const item of skein.stream(options)) {
    if (item.type !== 'ephemeral') cursor = item.cursor;
    if (item.type !== 'event') continue;
    seqs.push(item.cursor.seq);
    if (item.event.eventName === 'thread.message.received') seen.push(item.event.data.message.body);
    if (seen.length === bodies) break;
  }
  return { seqs, bodies: seen, cursor };
}

t.test('on a node that is killed, and one that is stopped: no gap, and nothing twice', async t => {
  const { url } = await startTestDatabase(t);
  const node = await NodeProcess.make(t, { DATABASE_URL: url });
  await node.start();
  const account = await createSdkAccount(node.url, { maxRetries: 20 });
  const [start] = await takeFirst(account, t);
  const followed = collect(account, 60, { from: start });
  const { threadId } = await say(account, 'message 1');
  for (let number = 2; number <= 60; number++) {
    const said = say(account, `message ${number}`);
    if (number === 20) await node.kill().then(() => node.start());
    if (number === 40) await node.stop().then(() => node.start());
    await said;
  }
  const { seqs, bodies } = await followed;
  t.strictSame(
    bodies,
    Array.from({ length: 60 }, (_, index) => `message ${index + 1}`),
  );
  const first = seqs[0] ?? 0;
  t.strictSame(
    seqs,
    seqs.map((_, index) => first + index),
    'a key for everything sees every number',
  );
  const stored = await account.skein.messages.list(threadId).toArray();
  t.equal(stored.length, 60, 'retries over the restarts have made nothing twice');
});

/** The cursor of now. */
async function takeFirst({ skein }: SdkAccount, t: Test): Promise<[Cursor]> {
  for await (const item of skein.stream()) {
    t.equal(item.type, 'resumed');
    if (item.type === 'resumed') return [item.cursor];
  }
  throw new Error('the stream has ended');
}

function say({ skein, channelId }: SdkAccount, body: string) {
  return skein.channels.receive(channelId, { externalParticipantRef: 'customer-42', body });
}

t.test('on a node: from a cursor that was kept, over a reset, and to the end of the key', async t => {
  const account = await shareSdkAccount(t);
  const [start] = await takeFirst(account, t);
  await say(account, 'one');
  const first = await collect(account, 1, { from: start });
  await say(account, 'two');
  await say(account, 'three');
  const rest = await collect(account, 2, { from: first.cursor });
  t.strictSame(rest.bodies, ['two', 'three'], 'of another process, from the cursor that the first has kept');

  for await (const item of account.skein.stream({ from: { epoch: 'another', seq: 1 } })) {
    t.match(item, { type: 'reset', reason: 'epoch', cursor: { epoch: start.epoch } });
    break;
  }
  const following = account.skein.stream({ from: start });
  await following.next();
  await account.studio.apiKeys.revoke(account.apiKeyId);
  const error = await rejection(
    (async () => {
      for await (const _ of following);
    })(),
  );
  t.ok(error instanceof AuthError, error.message);
  t.match(error, { code: 'svc/auth/invalid_api_key', status: 401 });
  t.ok((await rejection(account.skein.stream().next())) instanceof AuthError, 'nor does it open again');
  const foreign = await startForeign(account);
  t.match(await rejection(foreign.stream({ projectId: account.projectId }).next()), { status: 404 });
});

/** Somebody else's key on the same node. */
async function startForeign({ baseUrl }: SdkAccount): Promise<Skein> {
  return (await createSdkAccount(baseUrl)).skein;
}
