/**
 * Ids of another tenant in every field of every gRPC request, by the contract: each is answered as one that nobody has. Over REST and for
 * the Console stream test/contract/isolation.test.ts asks the same of every operation.
 */
import { status as codes } from '@grpc/grpc-js';
import type { MessageTypeDefinition, ServiceDefinition } from '@grpc/proto-loader';
import t from 'tap';
import { WebSocket } from 'ws';
import { contract } from '../../gateway/grpc/definition.ts';
import { newId, type Resource } from '../../protocol/ids.ts';
import type { IngestMessagesResponse__Output } from '../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { bearer, connect, getAddress, getDetails, getFailure } from '../gateway/grpc/grpc-fixture.ts';
import type { Tenant } from '../node/tenant.ts';
import { shareSkein } from '../support/skein.ts';

const skein = await shareSkein(t);
const client = connect(t, getAddress(skein));
const [own, foreign] = [await skein.tenant(), await skein.tenant()];

type Ids = Readonly<Partial<Record<Resource, string>>>;

/** One of everything that a request may name. */
async function getIds({ key, projectId, environmentId, channelId }: Tenant): Promise<Ids> {
  const { threadId } = await key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
  });
  const { attachmentId } = await key.get<{ attachmentId: string }>('createAttachment', {
    body: { projectId, filename: 'a.txt', mimeType: 'text/plain', sizeBytes: 1 },
  });
  return {
    project: projectId,
    environment: environmentId,
    channel: channelId,
    thread: threadId,
    attachment: attachmentId,
  };
}
const [ours, theirs] = [await getIds(own), await getIds(foreign)];

interface Field {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly typeName: string;
}

const service = contract['skein.internal.v1.Conversations'] as unknown as ServiceDefinition;

/** Where a message of that type has ids of ours, in messages within it, too. */
function findIdFields(type: MessageTypeDefinition<object, object>): { path: string[]; resource: Resource }[] {
  const { field } = type.type as { readonly field: readonly Field[] };
  return field.flatMap(({ name, typeName }) => {
    const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const resource = camel.replace(/Id$/, '') as Resource;
    if (camel.endsWith('Id') && resource in ours) return [{ path: [camel], resource }];
    const inner = contract[typeName] ?? contract[`skein.internal.v1.${typeName}`];
    return inner !== undefined &&
      typeName !== '' &&
      'deserialize' in inner &&
      /Request|Attachment/.test(typeName)
      ? findIdFields(inner as MessageTypeDefinition<object, object>).map(found => ({
          ...found,
          path: [camel, ...found.path],
        }))
      : [];
  });
}

let sent = 0;

/** A request with everything of ours, but for what is put into one field. */
function build(path: readonly string[], id: string): object {
  const message = {
    projectId: ours.project,
    environmentId: ours.environment,
    channelId: ours.channel,
    threadId: ours.thread,
    idempotencyKey: `key-${++sent}`,
    body: 'hello',
  };
  const nested = path[0] === 'message';
  const [name = '', inner] = nested ? path.slice(1) : path;
  const held = inner === undefined ? id : [{ kind: 'ATTACHMENT_KIND_DOCUMENT', [inner]: id }];
  const request = { ...message, [name]: held };
  return nested ? { correlationId: '1', message: request } : request;
}

/** What a call says, in a form that does not tell one call from another. */
function ask(name: string, request: object, streams: boolean): Promise<string> {
  return new Promise(resolve => {
    const finish = (error: object | null, value?: object): void => {
      const { code, message, info } = getFailure(error ?? { code: codes.OK });
      resolve(`${codes[code]} ${message} ${info?.reason ?? ''} ${JSON.stringify(value ?? '')}`);
    };
    const method = (client as unknown as Record<string, (...given: unknown[]) => unknown>)[name];
    if (method === undefined) throw new Error(`no method ${name}`);
    if (name === 'ingestMessages') {
      const call = client.ingestMessages(bearer());
      call.on('error', finish).on('data', ({ error }: IngestMessagesResponse__Output) => {
        const reason = getDetails(error ?? undefined).info?.reason;
        resolve(`${codes[error?.code ?? codes.OK]} ${error?.message} ${reason}`);
        call.cancel();
      });
      call.write(request);
    } else if (streams) {
      const call = client.subscribeEvents(request, bearer());
      call.on('error', finish).on('data', (frame: object) => {
        finish(null, frame);
        call.cancel();
      });
    } else {
      method.call(client, request, bearer(), finish);
    }
  });
}

/** Methods about the nodes and no tenant: their requests name nothing. */
const withoutTenants = ['WatchShards'];

for (const [name, { requestType, responseStream }] of Object.entries(service)) {
  const type = requestType as unknown as MessageTypeDefinition<object, object>;
  t.test(name, async t => {
    const method = name[0]?.toLowerCase() + name.slice(1);
    const fields = findIdFields(type);
    if (withoutTenants.includes(name)) return t.strictSame(fields, []);
    t.ok(fields.length >= 2, fields.map(({ path }) => path.join('.')).join());
    for (const { path, resource } of fields) {
      const field = path.join('.');
      const id = theirs[resource] ?? '';
      const refused = await ask(method, build(path, id), responseStream);
      const unknown = await ask(method, build(path, newId(resource)), responseStream);
      t.match(refused, /svc\/(runtime\/not_found|validation\/invalid_request)/, field);
      t.equal(refused.replaceAll(id, ''), unknown.replaceAll(/\w+_[0-9a-z]{26}/g, ''), field);
      for (const secret of Object.values(theirs)) {
        if (secret !== id) t.notMatch(refused, secret);
      }
    }
  });
}

t.test('the Console stream of another tenant', async t => {
  const outcomes = [];
  for (const projectId of [theirs.project, newId('project')]) {
    for (const by of [own.key, own.person]) {
      const url = `${skein.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`;
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${by.bearer ?? ''}` } });
      outcomes.push(
        await new Promise<string>(resolve => {
          socket.on('open', () => resolve('open'));
          socket.on('error', ({ message }) => resolve(message));
        }),
      );
    }
  }
  t.same(
    outcomes,
    Array.from({ length: 4 }, () => 'Unexpected server response: 404'),
  );
});
