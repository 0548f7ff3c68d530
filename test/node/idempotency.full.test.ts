/** Idempotency-Key through a whole node: whatever is repeated, and however often at once, happens once. */
import { createHash, randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { canonicalJson } from '../../gateway/pipeline/idempotency.ts';
import type { OperationId } from '../../protocol/operations/table.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Line, type Asked, type Client, type Refusal, type Reply } from './client.ts';
import { keepsSecrets } from './secrets.ts';
import { newKey, signUp } from './tenant.ts';

const { url, database } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' });
await node.start();
const line = new Line(node.url, t);
const tenant = await signUp(line);
const { key, person, projectId, environmentId, channelId } = tenant;
const { threadId } = await key.get<Message>('createInboundMessage', {
  params: { channelId },
  body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
});

interface Case {
  readonly id: OperationId;
  readonly asked: Asked & { readonly body: Readonly<Record<string, unknown>> };
  /** Another payload, which would do too. */
  readonly other: Asked;
  /** How many there are of what it makes. */
  readonly count: () => Promise<number>;
}

const messages = (): Promise<Message[]> => key.all<Message>('listMessages', { params: { threadId } });
const cases: readonly Case[] = [
  {
    id: 'createInboundMessage',
    asked: { params: { channelId }, body: { projectId, externalParticipantRef: 'ada', body: 'again' } },
    other: { params: { channelId }, body: { projectId, externalParticipantRef: 'bob', body: 'again' } },
    count: async () => (await messages()).length,
  },
  {
    id: 'createMessage',
    asked: { params: { threadId }, body: { projectId, body: 'hi', metadata: { a: 1, b: { c: 2 } } } },
    other: { params: { threadId }, body: { projectId, body: 'hi', metadata: { a: 1, b: { c: 3 } } } },
    count: async () => (await messages()).length,
  },
  {
    id: 'createThread',
    asked: { body: { projectId, environmentId, metadata: { a: 1 } } },
    other: { body: { projectId, environmentId } },
    count: async () => (await key.all<Thread>('listThreads', { query: { projectId } })).length,
  },
];

const conflict = { status: 409, body: { error: 'svc/runtime/idempotency_conflict' } };
const isReplay = ({ headers }: Reply<unknown>): boolean => headers['idempotent-replayed'] === 'true';

for (const { id, asked, other, count } of cases) {
  t.test(id, async t => {
    const before = await count();
    const first = await key.ask(id, { ...asked, key: 'the-same' });
    t.equal(first.status, 201);
    t.notOk(isReplay(first));

    t.test('a repetition gets the first answer, to the byte, however the request is written', async t => {
      const turned = Object.fromEntries(Object.entries(asked.body).toReversed());
      for (const body of [asked.body, turned]) {
        const again = await key.ask(id, { ...asked, body, key: 'the-same' });
        t.equal(again.status, 201);
        t.equal(again.text, first.text);
        t.ok(isReplay(again));
      }
    });

    t.test('with another payload: refused', async t => {
      t.match(await key.ask(id, { ...other, key: 'the-same' }), conflict);
    });

    t.test('another credential of the environment shares the key', async t => {
      const second = await newKey(person, projectId);
      for (const credential of [second.key, person]) {
        t.equal((await credential.ask(id, { ...asked, key: 'the-same' })).text, first.text);
      }
    });

    t.equal(await count(), before + 1, 'it happened once');

    t.test('of twenty at once one is carried out, and all get its answer', async t => {
      const answers = await atOnce(t, 20, () => key.ask(id, { ...asked, key: 'at-once' }));
      const texts = new Set(answers.map(({ text }) => text));
      t.equal(texts.size, 1, 'one answer for all');
      t.equal(await count(), before + 2);
    });

    t.test('of twenty payloads under one key at once, one wins', async t => {
      const bodies = Array.from({ length: 10 }, (_, n) => ({ ...asked.body, metadata: { n } }));
      const answers = await Promise.all(
        bodies.map(body => key.ask(id, { ...asked, body, key: 'contested' })),
      );
      const [won, ...more] = answers.filter(({ status }) => status === 201);
      t.same(more, []);
      for (const answer of answers) if (answer !== won) t.match(answer, conflict);
      const winner = bodies[answers.indexOf(won ?? first)];
      t.equal((await key.ask(id, { ...asked, body: winner, key: 'contested' })).text, won?.text);
      t.equal(await count(), before + 3);
    });

    t.test('without a key, or with one that is none: 400, and nothing happens', async t => {
      const missing = { status: 400, body: { error: 'svc/runtime/missing_idempotency_key' } };
      t.match(await key.ask(id, { ...asked, key: null }), missing);
      for (const none of ['', ' ', 'two words', 'k'.repeat(256)]) {
        t.match(await key.ask(id, { ...asked, key: none }), missing, JSON.stringify(none.slice(0, 10)));
      }
      const longest = 'k'.repeat(255);
      t.equal((await key.ask(id, { ...asked, key: longest })).status, 201);
      t.equal(await count(), before + 4);
    });
  });
}

/** As many requests at once; each is the answer, its replay, or a conflict, which is asked again. */
async function atOnce(t: Test, many: number, ask: () => Promise<Reply<unknown>>): Promise<Reply<unknown>[]> {
  const answers = await Promise.all(
    Array.from({ length: many }, async () => {
      for (;;) {
        const answer = await ask();
        if (answer.status !== 409) return answer;
        t.equal((answer.body as Refusal).error, conflict.body.error);
      }
    }),
  );
  const firsts = answers.filter(answer => !isReplay(answer));
  t.equal(firsts.length, 1, 'one was the first');
  t.same(new Set(answers.map(({ status }) => status)), new Set([201]));
  return answers;
}

t.test('a key means nothing to another operation, path or tenant', async t => {
  const outsider = await signUp(line);
  const asked = { body: { projectId, environmentId }, key: 'the-same' };
  const theirs = {
    body: { projectId: outsider.projectId, environmentId: outsider.environmentId },
    key: 'the-same',
  };
  const own = await key.get<Thread>('createThread', { ...asked, key: 'own' });
  const other = await outsider.key.ask<Thread>('createThread', theirs);
  t.equal(other.status, 201);
  t.notOk(isReplay(other));
  const elsewhere = { params: { threadId: own.threadId }, body: cases[1]?.asked.body };
  t.match(
    await key.ask('createMessage', { ...elsewhere, key: 'the-same' }),
    conflict,
    'the path is of the payload',
  );
});

t.test('an external reference is taken once, whatever the keys', async t => {
  const body = { projectId, environmentId, channelId, externalRef: 'carol' };
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => key.ask<Thread & Refusal>('createThread', { body, key: randomUUID() })),
  );
  const [made, ...more] = answers.filter(({ status }) => status === 201);
  t.same(more, []);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    t.match(answer, {
      status: 409,
      body: { error: 'svc/runtime/conflict', details: { threadId: made?.body.threadId } },
    });
  }
});

t.test('where a key is accepted it means the same', async t => {
  const makers: readonly [Client, OperationId, Record<string, unknown>, string][] = [
    [key, 'createChannel', { projectId, environmentId, name: 'Once', kind: 'custom' }, 'listChannels'],
    [key, 'createStitch', { projectId, name: 'Once', webhookUrl: 'http://127.0.0.1:2/' }, 'listStitches'],
    [person, 'createApiKey', { projectId, name: 'Once', environment: 'test', scopes: ['*'] }, 'listApiKeys'],
    [person, 'createProject', { workspaceId: tenant.workspaceId, name: 'Once' }, 'listProjects'],
  ];
  for (const [client, id, body, list] of makers) {
    const query = list === 'listProjects' ? {} : { projectId };
    const count = async (): Promise<number> => (await client.all(list as OperationId, { query })).length;
    const before = await count();
    const answers = await atOnce(t, 8, () => client.ask(id, { body, key: id }));
    t.equal(new Set(answers.map(({ text }) => text)).size, 1, `${id}: one answer for all, with its secret`);
    t.match(await client.ask(id, { body: { ...body, name: 'Twice' }, key: id }), conflict);
    t.equal(await count(), before + 1, id);
  }
});

t.test('a copy of the rows confirms no guess of what was sent', async t => {
  const body = { projectId, body: 'yes' };
  const path = `/v1/threads/${threadId}/messages`;
  await key.get('createMessage', { params: { threadId }, body, key: 'guessed' });
  const guesses = [
    `${path}\n${canonicalJson(body)}`,
    [projectId, environmentId, 'createMessage', 'guessed'].join('\n'),
  ];
  for (const algorithm of ['sha256', 'sha512-256']) {
    const hashes = guesses.map(guess => createHash(algorithm).update(guess).digest());
    const found = await database.query(
      'select 1 from idempotency_keys where key_hash = any ($1::bytea[]) or fingerprint = any ($1::bytea[])',
      [hashes],
    );
    t.same(found, [], algorithm);
  }
});

t.test('the log shows no secret', async t => keepsSecrets(t, node.output, line));
