/** A node that serves threads, messages and channels over HTTP, with real actors on a real PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { Compile, type Validator } from 'typebox/compile';
import type { Test } from 'tap';
import { createChannelKind } from '../../../actors/channel/kind.ts';
import { channelSnapshot } from '../../../actors/channel/snapshot.ts';
import { defaultGraph, Graph } from '../../../actors/chatapp/graph.ts';
import { createThreadKind } from '../../../actors/thread/kind.ts';
import { receiveFromProvider } from '../../../actors/thread/receive-from-provider.ts';
import { threadSnapshot } from '../../../actors/thread/snapshot.ts';
import { AccessTokens, parseTokenKeys } from '../../../gateway/auth/access-tokens.ts';
import { Authenticator, KeyVerifier } from '../../../gateway/auth/authenticate.ts';
import { ChannelDirectory } from '../../../gateway/handlers/channel-directory.ts';
import { HttpServer } from '../../../gateway/http/server.ts';
import { serveMedia } from '../../../gateway/media/routes.ts';
import { MediaLinks } from '../../../gateway/media/links.ts';
import { serveOperations } from '../../../gateway/rest/operations.ts';
import { channelTrafficHandlers } from '../../../gateway/handlers/channel-traffic.ts';
import { inboundMessageHandlers } from '../../../gateway/handlers/inbound-messages.ts';
import { channelHandlers } from '../../../gateway/handlers/channels.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { attachmentHandlers } from '../../../gateway/handlers/attachments.ts';
import { messageHandlers } from '../../../gateway/handlers/messages.ts';
import { noteHandlers } from '../../../gateway/handlers/notes.ts';
import { presenceHandlers } from '../../../gateway/handlers/presence.ts';
import { threadHandlers } from '../../../gateway/handlers/threads.ts';
import { Idempotency } from '../../../gateway/pipeline/idempotency.ts';
import {
  publishEphemeral,
  subscribeEphemeral,
  type EphemeralEvent,
} from '../../../gateway/stream/ephemeral-events.ts';
import type { Operation, Scope } from '../../../protocol/operation.ts';
import { channelOperations } from '../../../protocol/operations/channels.ts';
import { attachmentOperations } from '../../../protocol/operations/attachments.ts';
import { messageOperations } from '../../../protocol/operations/messages.ts';
import { noteOperations } from '../../../protocol/operations/notes.ts';
import { presenceOperations } from '../../../protocol/operations/presence.ts';
import { threadOperations } from '../../../protocol/operations/threads.ts';
import type { Channel } from '../../../protocol/resources/channel.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { ActorRef } from '../../../runtime/actor/actor.ts';
import { type Clock, systemClock, systemRandom } from '../../../runtime/time/clock.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { Node } from '../../../runtime/node/node.ts';
import { LocalTransport } from '../../../runtime/transport/local.ts';
import { RecentWebhooks } from '../../../storage/chatapp/recent-webhooks.ts';
import { Cursors } from '../../../storage/paging/cursors.ts';
import type { Database } from '../../../storage/database/database.ts';
import { IdempotencyKeys } from '../../../storage/idempotency/idempotency-keys.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { KeyedHash } from '../../../storage/secrets/keyed-hash.ts';
import { Media } from '../../../storage/media/media.ts';
import { CommitNotifier, type CommittedEvent } from '../../../storage/events/commit-notifier.ts';
import { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import { Vault } from '../../../storage/secrets/vault.ts';
import { accountServices, auditContext, freshKey, type Person } from '../../support/accounts.ts';

const docsUrl = 'http://docs.test';
/** What stands for the server's address in the addresses of files, as its port is known too late. */
const mediaUrl = 'http://media.test';
const operations = {
  ...channelOperations,
  ...threadOperations,
  ...messageOperations,
  ...noteOperations,
  ...presenceOperations,
  ...attachmentOperations,
};
type OperationId = keyof typeof operations;

export interface Reply<T> {
  readonly status: number;
  readonly body: T;
  readonly text: string;
  readonly headers: Headers;
}

export interface ErrorBody {
  readonly error: string;
  readonly details?: Record<string, unknown>;
}

export interface ListOf<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** The Idempotency-Key; where one is required and none is given, a fresh one is sent. */
  readonly key?: string;
  /** Service-Acting-User. */
  readonly actingUser?: string;
}

/** A project, somebody in it, and a key of its sandbox with all scopes. */
export interface Tenant extends Person {
  readonly secret: string;
  readonly apiKeyId: string;
  /** The person's access token. */
  readonly token: string;
}

const validators = new Map<object, Validator>();

function fits(schema: object, value: unknown): boolean {
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = Compile(schema)));
  return validator.Check(value);
}

export class ConversationNode {
  readonly database: Database;
  readonly events: CommittedEvent[] = [];
  readonly mediaFolder: string;
  readonly media: Media;
  readonly #ring = new KeyRing(freshKey());
  readonly #accounts: ReturnType<typeof accountServices>;
  readonly #tokens: AccessTokens;
  readonly #notifier = new CommitNotifier();
  readonly #clock: Clock;
  #port = 0;
  #stop: (() => Promise<void>) | undefined;
  #node: Node | undefined;
  #transport: LocalTransport | undefined;
  #awaited: (() => void)[] = [];

  private constructor(database: Database, clock: Clock, mediaFolder: string) {
    this.database = database;
    this.mediaFolder = mediaFolder;
    this.media = new Media({ kind: 'folder', folder: mediaFolder });
    this.#clock = clock;
    this.#accounts = accountServices(database, clock);
    this.#tokens = new AccessTokens(parseTokenKeys(freshKey()), clock);
    this.#notifier.addListener({
      onEvents: events => {
        this.events.push(...events);
        for (const resolve of this.#awaited.splice(0)) resolve();
      },
    });
  }

  static async start(t: Test, database: Database): Promise<ConversationNode> {
    const node = new ConversationNode(database, systemClock, t.testdir({}));
    await node.#run(systemClock);
    t.teardown(() => node.#stop?.());
    return node;
  }

  /** Ends the node and starts another on the same database, whose time is `aheadMs` in the future. */
  async restart(aheadMs: number): Promise<void> {
    await this.#stop?.();
    await this.#run({ ...systemClock, now: () => systemClock.now() + aheadMs });
  }

  async #run(clock: Clock): Promise<void> {
    const { database } = this;
    const ring = this.#ring;
    const notifier = this.#notifier;
    const snapshots = [threadSnapshot, channelSnapshot];
    const store = new PostgresStore({ database, snapshots, notifier, log: silentLog });
    const transport = new LocalTransport({ clock, log: silentLog });
    const node = new Node({
      kinds: [
        createThreadKind({ db: database, log: silentLog }),
        createChannelKind({
          db: database,
          log: silentLog,
          vault: new Vault(ring),
          receive: receiveFromProvider,
          recentWebhooks: new RecentWebhooks(),
          graph: new Graph(defaultGraph),
          pool: { send: () => Promise.reject(new Error('no pool')) },
          media: this.media,
          limits: defaultLimits,
          ownApp: undefined,
          notifyOwners: () => Promise.resolve(),
          clock: systemClock,
          random: systemRandom,
          draining: new AbortController().signal,
          abandoned: new AbortController().signal,
        }),
      ],
      store,
      transport,
      clock,
      random: systemRandom,
      log: silentLog,
      metrics: new Metrics(),
    });
    await node.start();
    this.#node = node;
    this.#transport = transport;

    const { apiKeys, sessions, access } = this.#accounts;
    const keys = new KeyVerifier({ apiKeys, clock: this.#clock, log: silentLog });
    const authenticator = new Authenticator({ tokens: this.#tokens, keys, sessions, clock: this.#clock });
    const channels = new ChannelDirectory(database, clock);
    const services = { database, node, cursors: new Cursors(ring), channels, access };
    const links = new MediaLinks(this.#ring, mediaUrl);
    const handlers = {
      ...threadHandlers(services),
      ...messageHandlers(services),
      ...noteHandlers(services),
      ...attachmentHandlers({ database, links, limits: defaultLimits }),
      ...presenceHandlers({ database, node, show: event => publishEphemeral(transport, event) }),
      ...channelHandlers({ ...services, limits: defaultLimits }),
      ...channelTrafficHandlers(services),
      ...inboundMessageHandlers(services),
    };
    const server = new HttpServer({ log: silentLog, docsUrl });
    serveMedia({ server, database, media: this.media, links, clock, log: silentLog, docsUrl });
    serveOperations(server, operations, handlers, {
      authenticator,
      tenancy: access,
      idempotency: new Idempotency({
        keys: new IdempotencyKeys(database),
        vault: new Vault(ring),
        hash: new KeyedHash(ring),
        log: silentLog,
      }),
      clock,
      log: silentLog,
      docsUrl,
    });
    this.#port = await server.listen('127.0.0.1', 0);
    this.#stop = async () => {
      await server.close(0);
      await node.drain();
      await transport.drain();
      await store.close();
    };
  }

  /** An address of a file, where this node listens. */
  fileUrl(url: string): string {
    return url.replace(mediaUrl, `http://127.0.0.1:${this.#port}`);
  }

  /** Asks an actor, past HTTP. */
  async askActor(to: ActorRef, command: string, payload: unknown): Promise<unknown> {
    return this.#node?.ask(to, command, payload);
  }

  /** The next event of the project that is in no log, from now on. */
  nextEphemeral(projectId: string): Promise<EphemeralEvent> {
    const transport = this.#transport;
    if (transport === undefined) throw new Error('the node does not run');
    return new Promise(resolve => {
      const end = subscribeEphemeral(transport, projectId, event => {
        end();
        resolve(event);
      });
    });
  }

  async tenant(scopes: readonly Scope[] = ['*']): Promise<Tenant> {
    const person = await this.#accounts.newPerson();
    const { userId, session, projectId } = person;
    this.#notifier.follow(projectId);
    const { apiKey, secret } = await this.#accounts.apiKeys.create({
      projectId,
      name: 'key',
      environment: 'test',
      scopes,
      expiresAt: null,
      ...auditContext(userId),
    });
    const token = await this.#tokens.issue(userId, session.sessionId);
    return { ...person, secret, apiKeyId: apiKey.apiKeyId, token };
  }

  /** Another key of the tenant's project. */
  async getKey(
    { projectId, userId }: Tenant,
    scopes: readonly Scope[],
    environment: 'test' | 'live' = 'test',
  ): Promise<string> {
    const { secret } = await this.#accounts.apiKeys.create({
      projectId,
      name: 'key',
      environment,
      scopes,
      expiresAt: null,
      ...auditContext(userId),
    });
    return secret;
  }

  /** Verifies the tenant's e-mail and makes a production environment. */
  async production({ projectId, userId }: Tenant): Promise<string> {
    await this.database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
    const { environments } = this.#accounts;
    return (await environments.createProduction(projectId, 'production', auditContext(userId))).environmentId;
  }

  /** Sends a request; an answer of a status or a shape that the operation's row does not name is thrown. */
  async ask<T = Record<string, unknown>>(
    id: OperationId,
    bearer: string,
    asked: Asked = {},
  ): Promise<Reply<T>> {
    const operation: Operation = operations[id];
    const { params = {}, query = {}, body, key, actingUser } = asked;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value].flat()) search.append(name, String(each));
    }
    const required = operation.idempotency === 'required' ? randomBytes(9).toString('hex') : undefined;
    const sent = key ?? required;
    const response = await fetch(`http://127.0.0.1:${this.#port}/v1${path}?${search.toString()}`, {
      method: operation.method,
      headers: {
        Authorization: `Bearer ${bearer}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(sent === undefined ? {} : { 'Idempotency-Key': sent }),
        ...(actingUser === undefined ? {} : { 'Service-Acting-User': actingUser }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const reply: Reply<T> = {
      status: response.status,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
      text,
      headers: response.headers,
    };
    this.#hold(operation, reply);
    return reply;
  }

  #hold(operation: Operation, { status, body, text }: Reply<unknown>): void {
    const { success, alternative } = operation;
    const row = [success, alternative].find(each => each?.status === status);
    if (row !== undefined && (row.body === null ? text === '' : fits(row.body, body))) return;
    const { error } = (body ?? {}) as { error?: string };
    if (row === undefined && operation.errors.some(code => code === error)) return;
    throw new Error(`${operation.method} ${operation.path} answered ${status} ${text}`);
  }

  async channel(tenant: Tenant, kind: 'custom' | 'sandbox' | 'chatapp' = 'custom'): Promise<Channel> {
    const { projectId, environmentId } = tenant;
    const body = { projectId, environmentId, name: 'Main', kind };
    return (await this.ask<Channel>('createChannel', tenant.secret, { body })).body;
  }

  async thread(tenant: Tenant, more: object = {}): Promise<Thread> {
    const { projectId, environmentId } = tenant;
    const body = { projectId, environmentId, ...more };
    return (await this.ask<Thread>('createThread', tenant.secret, { body })).body;
  }

  send(
    tenant: Tenant,
    threadId: string,
    body = 'how may I help?',
    more: Partial<Asked> = {},
  ): Promise<Reply<Message>> {
    const asked = { params: { threadId }, body: { projectId: tenant.projectId, body }, ...more };
    return this.ask<Message>('createMessage', tenant.secret, asked);
  }

  /** `more` is of the body. */
  inbound(tenant: Tenant, channelId: string, more: object, key?: string): Promise<Reply<Message>> {
    const body = { projectId: tenant.projectId, body: 'hello', ...more };
    const asked = { params: { channelId }, body, ...(key === undefined ? {} : { key }) };
    return this.ask<Message>('createInboundMessage', tenant.secret, asked);
  }

  /** The thread's events in the order of the project's numbers, parsed. */
  async getEvents(threadId: string): Promise<{ eventName: string; data: Record<string, unknown> }[]> {
    const rows = await this.database.query<{ body: string }>(
      'select body from events where thread_id = $1 order by seq',
      [threadId],
    );
    return rows.map(row => JSON.parse(row.body) as { eventName: string; data: Record<string, unknown> });
  }

  /** Resolves when an event of that name has been committed, after the first `since` events of this object's life. */
  async seen(eventName: string, since = 0): Promise<void> {
    while (!this.events.slice(since).some(event => event.eventName === eventName)) {
      await new Promise<void>(resolve => this.#awaited.push(resolve));
    }
  }
}
