/** Shortcuts for tests about the conversations of a tenant of the shared node. */
import type { Scope } from '../../protocol/operation.ts';
import type { Channel } from '../../protocol/resources/channel.ts';
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import type { Database } from '../../storage/database/database.ts';
import { Client, type Asked, type ListOf, type Refusal, type Reply } from '../node/client.ts';
import type { Tenant } from '../node/tenant.ts';
import { eventually } from './eventually.ts';

export async function newChannel(
  { key, projectId, environmentId }: Tenant,
  kind: 'custom' | 'sandbox' | 'chatapp' = 'custom',
): Promise<Channel> {
  return key.get('createChannel', { body: { projectId, environmentId, name: 'Main', kind } });
}

export async function newThread(
  { key, projectId, environmentId }: Tenant,
  fields: object = {},
): Promise<Thread> {
  return key.get('createThread', { body: { projectId, environmentId, ...fields } });
}

/** Sends a message to the participant. */
export function sendMessage(
  { key, projectId }: Tenant,
  threadId: string,
  fields: object = {},
  asked: Asked = {},
): Promise<Reply<Message & Refusal>> {
  const body = { projectId, body: 'how may I help?', ...fields };
  return key.ask('createMessage', { params: { threadId }, body, ...asked });
}

/** Brings in a message of a participant. */
export function receiveMessage(
  { key, projectId }: Tenant,
  channelId: string,
  fields: object,
  asked: Asked = {},
): Promise<Reply<Message & Refusal>> {
  const body = { projectId, body: 'hello', ...fields };
  return key.ask('createInboundMessage', { params: { channelId }, body, ...asked });
}

/** Brings in `count` messages of one participant. Returns the id of their thread. */
export async function receiveMessages(tenant: Tenant, count: number): Promise<string> {
  let threadId = '';
  for (let i = 0; i < count; i++) {
    const fields = { body: `message ${i}`, externalParticipantRef: 'ada' };
    ({ threadId } = (await receiveMessage(tenant, tenant.channelId, fields)).body);
  }
  return threadId;
}

/** Creates a key of the tenant's sandbox with these scopes. */
export async function newScopedKey({ person, projectId }: Tenant, scopes: readonly Scope[]): Promise<Client> {
  const body = { projectId, name: 'key', environment: 'test', scopes };
  const { secret } = await person.get<{ secret: string }>('createApiKey', { body });
  return new Client(person.line, secret);
}

/** Makes a user an operator of a project's Console. */
export async function addConsoleMember(
  database: Database,
  { projectId }: Pick<Tenant, 'projectId'>,
  { userId }: Pick<Tenant, 'userId'>,
  role: 'agent' | 'viewer' | 'project_owner',
): Promise<void> {
  const insert = `insert into console_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`;
  await database.query(insert, [projectId, userId, role]);
}

export interface LoggedEvent {
  readonly eventName: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads the events of a thread, oldest first. */
export async function readThreadEvents(database: Database, threadId: string): Promise<LoggedEvent[]> {
  const select = 'select body from events where thread_id = $1 order by seq';
  const rows = await database.query<{ body: string }>(select, [threadId]);
  return rows.map(({ body }) => JSON.parse(body) as LoggedEvent);
}

/** Resolves with the deliveries that the query finds, when there are `count` of them. */
export async function untilDeliveries(
  by: Client,
  query: Readonly<Record<string, string>>,
  count: number,
): Promise<WebhookDelivery[]> {
  let found: readonly WebhookDelivery[] = [];
  await eventually(`${count} deliveries`, async () => {
    ({ data: found } = await by.get<ListOf<WebhookDelivery>>('listDeliveries', { query }));
    return found.length === count;
  });
  return [...found];
}
