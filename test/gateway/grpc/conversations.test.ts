/** Unary calls of internal services: what they do, what they refuse, and how they say it. */
import { status as codes } from '@grpc/grpc-js';
import t from 'tap';
import type { GetThreadResponse__Output } from '../../../protocol/gen/skein/internal/v1/GetThreadResponse.ts';
import type { IngestMessageRequest } from '../../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { IngestMessageResponse__Output } from '../../../protocol/gen/skein/internal/v1/IngestMessageResponse.ts';
import type { SendMessageRequest } from '../../../protocol/gen/skein/internal/v1/SendMessageRequest.ts';
import type { SendMessageResponse__Output } from '../../../protocol/gen/skein/internal/v1/SendMessageResponse.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { ListOf } from '../../node/client.ts';
import { eventually } from '../../support/eventually.ts';
import { shareSkein } from '../../support/skein.ts';
import { answer, bearer, connect, failure, getAddress, inbound } from './grpc-fixture.ts';

t.test('unary calls', async t => {
  const skein = await shareSkein(t);
  const client = connect(t, getAddress(skein));
  const tenant = await skein.tenant();
  const { projectId, environmentId, channelId } = tenant;

  const ingest = (request: IngestMessageRequest, ...how: [ReturnType<typeof bearer>?, object?]) =>
    answer<IngestMessageResponse__Output>(
      (metadata, options, done) => client.ingestMessage(request, metadata, options, done),
      ...how,
    );
  const send = (request: SendMessageRequest, ...how: [ReturnType<typeof bearer>?, object?]) =>
    answer<SendMessageResponse__Output>(
      (metadata, options, done) => client.sendMessage(request, metadata, options, done),
      ...how,
    );
  const getThread = (threadId: string, place = { projectId, environmentId }) =>
    answer<GetThreadResponse__Output>((metadata, options, done) =>
      client.getThread({ ...place, threadId }, metadata, options, done),
    );

  const first = await ingest(
    inbound(tenant, 'first', {
      attachments: [{ kind: 'ATTACHMENT_KIND_IMAGE', url: 'https://example.com/a.png', sizeBytes: 17 }],
      metadataJson: '{"order":"A-1","total":1.5}',
    }),
  );
  const threadId = first.message?.threadId ?? '';

  t.test('an inbound message by gRPC is the same by REST', async t => {
    t.equal(first.replayed, false);
    t.match(first.message, {
      projectId,
      environmentId,
      channelId,
      body: 'message first',
      direction: 'DIRECTION_INBOUND',
      status: 'MESSAGE_STATUS_UNSPECIFIED',
      sequence: /^\d+$/,
      metadataJson: /"order":"A-1"/,
      actor: { type: 'ACTOR_TYPE_CONTACT', id: 'ada' },
      attachments: [{ kind: 'ATTACHMENT_KIND_IMAGE', url: 'https://example.com/a.png', sizeBytes: '17' }],
    });
    const { data } = await tenant.key.get<ListOf<Message>>('listMessages', { params: { threadId } });
    t.match(data, [{ messageId: first.message?.messageId, metadata: { order: 'A-1', total: 1.5 } }]);
    const at = first.message?.createdAt;
    t.equal(
      new Date(Number(at?.seconds) * 1_000 + Number(at?.nanos) / 1_000_000).toISOString(),
      data[0]?.createdAt,
    );
  });

  t.test('an idempotency key works once, by REST and gRPC together', async t => {
    const again = await ingest(inbound(tenant, 'second'));
    t.same(await ingest(inbound(tenant, 'second')), { ...again, replayed: true });
    const other = await failure(ingest(inbound(tenant, 'second', { body: 'something else' })));
    t.equal(other.code, codes.ALREADY_EXISTS);
    t.equal(other.info?.reason, 'svc/runtime/idempotency_conflict');
    const rest = await tenant.key.ask<Message>('createInboundMessage', {
      params: { channelId },
      body: { projectId, externalParticipantRef: 'ada', body: 'message second' },
      key: 'second',
    });
    t.equal(rest.headers['idempotent-replayed'], 'true');
    t.equal(rest.body.messageId, again.message?.messageId);
    const twins = await Promise.all([1, 2, 3, 4].map(() => ingest(inbound(tenant, 'third'))));
    t.equal(new Set(twins.map(({ message }) => message?.messageId)).size, 1);
    t.equal(twins.filter(({ replayed }) => !replayed).length, 1);
  });

  t.test('a message goes out in the name of the service', async t => {
    const request = { projectId, environmentId, threadId, idempotencyKey: 'out', body: 'Hello.' };
    const sent = await send(request, bearer());
    t.match(sent.message, {
      direction: 'DIRECTION_OUTBOUND',
      status: 'MESSAGE_STATUS_QUEUED',
      body: 'Hello.',
      threadId,
      actor: { type: 'ACTOR_TYPE_SYSTEM', id: 'tests' },
    });
    t.same(await send(request, bearer()), { ...sent, replayed: true });
    const { data } = await tenant.key.get<ListOf<{ data: object }>>('listEvents', {
      query: { projectId, eventName: 'thread.message.created' },
    });
    t.match(data, [{ data: { actor: { type: 'system', id: 'tests' } } }]);
  });

  t.test('content and participant are those of the public API', async t => {
    const location = { type: 'location', latitude: 52.5, longitude: 13.4, name: 'Office' };
    const named = { displayName: 'Ada', locale: 'pt-BR', attributes: { plan: 'pro' } };
    await ingest(inbound(tenant, 'named', { participantJson: JSON.stringify(named) }));
    const participant = JSON.parse((await getThread(threadId)).thread?.participantJson ?? '') as object;
    t.strictSame(participant, { externalParticipantRef: 'ada', ...named });
    const messageId = first.message?.messageId ?? '';
    const sent = await send({
      projectId,
      environmentId,
      threadId,
      idempotencyKey: 'located',
      replyToMessageId: messageId,
      contentJson: JSON.stringify(location),
    });
    t.match(JSON.parse(sent.message?.contentJson ?? ''), location);
    t.match(JSON.parse(sent.message?.replyToJson ?? ''), { messageId });
    t.match(sent.message?.body, /Office/, 'the body says it in words');
    const broken = send({ projectId, environmentId, threadId, idempotencyKey: 'broken', contentJson: '{' });
    t.match(await failure(broken), { code: codes.INVALID_ARGUMENT });
  });

  t.test('gRPC refuses what REST refuses, and names each fault', async t => {
    const bad: [IngestMessageRequest, string[]][] = [
      [{ body: '' }, ['body']],
      [{ body: 'x'.repeat(16_001) }, ['body']],
      [{ channelId: 'none', projectId: '' }, ['channel_id', 'project_id']],
      [{ environmentId: '' }, ['environment_id']],
      [{ metadataJson: '{' }, ['metadata_json']],
      [{ metadataJson: '[]' }, ['metadata_json']],
      [{ metadataJson: '{"__proto__":{}}' }, ['metadata_json.__proto__']],
      [{ body: 'a\u0000b' }, ['body']],
      [{ attachments: [{ url: 'https://a.b' }] }, ['attachments[0].kind']],
      [{ externalParticipantRef: '' }, ['external_participant_ref']],
    ];
    for (const [more, fields] of bad) {
      const { code, info, fields: found } = await failure(ingest(inbound(tenant, 'bad', more)));
      t.equal(code, codes.INVALID_ARGUMENT);
      t.equal(info?.reason, 'svc/validation/invalid_request');
      t.same([...found].sort(), fields);
    }
    for (const key of ['', 'a b', 'x'.repeat(256), 'ü']) {
      const { code, info } = await failure(ingest(inbound(tenant, key, { body: 'x' })));
      t.equal(code, codes.INVALID_ARGUMENT);
      t.equal(info?.reason, 'svc/runtime/missing_idempotency_key');
    }
  });

  t.test('an archived project takes nothing from services, and shows them nothing', async t => {
    const archived = await skein.tenant();
    await archived.person.get('archiveProject', { params: { projectId: archived.projectId } });
    const place = { projectId: archived.projectId, environmentId: archived.environmentId };
    for (const asked of [ingest(inbound(archived, 'archived')), getThread(threadId, place)]) {
      const refusal = await failure(asked);
      t.equal(refusal.code, codes.PERMISSION_DENIED);
      t.equal(refusal.info?.reason, 'svc/auth/insufficient_scope');
    }
    const { projectId } = archived;
    await archived.person.get('updateProject', { params: { projectId }, body: { archived: false } });
    // What is known of an environment is held for a second.
    await eventually('ingestion', () =>
      ingest(inbound(archived, 'restored')).then(
        () => true,
        () => false,
      ),
    );
  });

  t.test('a deadline that has passed begins nothing', async t => {
    const request = inbound(tenant, 'too-late', { externalParticipantRef: 'nobody yet' });
    const { code } = await failure(ingest(request, bearer(), { deadline: Date.now() - 1 }));
    t.equal(code, codes.DEADLINE_EXCEEDED);
    // In time it is made, so it was not before.
    t.equal((await ingest(request)).replayed, false);
  });

  t.test('a message of 10 MB is refused as that', async t => {
    const { code, message } = await failure(
      ingest(inbound(tenant, 'huge', { body: 'x'.repeat(10_485_760) })),
    );
    t.equal(code, codes.RESOURCE_EXHAUSTED);
    t.match(message, /larger than max/);
    t.ok(await ingest(inbound(tenant, 'after')), 'and the connection lives on');
  });

  t.test("an invalid message is refused with the catalogue's text", async t => {
    const path = '/skein.internal.v1.Conversations/IngestMessage';
    const { code, info } = await failure(
      answer((metadata, options, done) =>
        client.makeUnaryRequest(
          path,
          () => Buffer.from([0xff, 0xff, 0xff]),
          bytes => bytes,
          {},
          metadata,
          options,
          done,
        ),
      ),
    );
    t.equal(code, codes.INVALID_ARGUMENT);
    t.equal(info?.reason, 'svc/validation/invalid_request');
    const unknown = await failure(
      answer((metadata, options, done) =>
        client.makeUnaryRequest(
          `${path}s2`,
          () => Buffer.alloc(0),
          bytes => bytes,
          {},
          metadata,
          options,
          done,
        ),
      ),
    );
    t.equal(unknown.code, codes.UNIMPLEMENTED);
  });

  t.test('/metrics counts calls by method and code', async t => {
    const metrics = await (await fetch(`${skein.url}/metrics`)).text();
    t.match(metrics, /skein_grpc_calls_total\{method="IngestMessage",code="OK"\} \d+/);
    t.match(metrics, /skein_grpc_calls_total\{method="IngestMessage",code="INVALID_ARGUMENT"\} \d+/);
    t.match(metrics, /skein_grpc_milliseconds_count\{method="GetThread"\} \d+/);
  });
});
