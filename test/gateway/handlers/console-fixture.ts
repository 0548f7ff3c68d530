/** A node that serves the Console's and the event log's operations and the live stream, on a real PostgreSQL. */
import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { AccessTokens, parseTokenKeys } from '../../../gateway/auth/access-tokens.ts';
import { Authenticator, KeyVerifier } from '../../../gateway/auth/authenticate.ts';
import { HttpServer } from '../../../gateway/http/server.ts';
import { serveOperations } from '../../../gateway/rest/operations.ts';
import { consoleHandlers } from '../../../gateway/handlers/console.ts';
import { eventHandlers } from '../../../gateway/handlers/events.ts';
import { Idempotency } from '../../../gateway/pipeline/idempotency.ts';
import { admit } from '../../../gateway/stream/admit.ts';
import { ConsoleStream } from '../../../gateway/stream/endpoint.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ConsoleRole, Scope } from '../../../protocol/operation.ts';
import { consoleOperations } from '../../../protocol/operations/console.ts';
import { eventOperations } from '../../../protocol/operations/events.ts';
import { type Clock, systemClock } from '../../../runtime/time/clock.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Sessions } from '../../../storage/accounts/sessions.ts';
import { Cursors } from '../../../storage/paging/cursors.ts';
import type { Database } from '../../../storage/database/database.ts';
import { User } from '../../../storage/entities/accounts.ts';
import { ConsoleMember, Environment, WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import {
  appendEvents,
  AppendedEventsSubscriber,
  type NewEvent,
} from '../../../storage/events/append-events.ts';
import { IdempotencyKeys } from '../../../storage/idempotency/idempotency-keys.ts';
import { KeyedHash } from '../../../storage/secrets/keyed-hash.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { CommitNotifier, type CommittedEvent } from '../../../storage/events/commit-notifier.ts';
import { eventPage, streamHeads } from '../../../storage/events/event-log.ts';
import { AccessCache } from '../../../storage/tenancy/access-cache.ts';
import { ApiKeys } from '../../../storage/tenancy/api-keys.ts';
import { ConsoleMembers } from '../../../storage/tenancy/console-members.ts';
import { addWorkspace } from '../../../storage/tenancy/create-tenant.ts';
import { findRevokedCredentials } from '../../../storage/tenancy/credential-check.ts';
import { StreamTickets } from '../../../storage/tenancy/tickets.ts';
import { Vault } from '../../../storage/secrets/vault.ts';
import { Client, createSurroundings } from '../stream/stream-fixture.ts';
import { origin } from '../../support/accounts.ts';
import { tenancyRules } from '../../../gateway/tenancy/rules.ts';
import { refuseAccount } from '../../../gateway/accounts/refusals.ts';

const docsUrl = 'http://docs.test';

/** Somebody who is signed in. */
export interface Person {
  readonly userId: string;
  readonly sessionId: string;
  readonly token: string;
}

/** A project with its founder. */
export interface Tenant {
  readonly founder: Person;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly sandbox: string;
}

export interface Reply<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface ListBody<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** How news travels from the database to the hub; the default tells the truth at once. */
export type Relay = (events: readonly CommittedEvent[], tell: (event: CommittedEvent) => void) => void;

const truthful: Relay = (events, tell) => events.forEach(tell);

const notifier = new WeakMap<Database, CommitNotifier>();

/** The news of a database, which all its nodes hear. */
function getNotifier(database: Database): CommitNotifier {
  let found = notifier.get(database);
  if (found === undefined) {
    notifier.set(database, (found = new CommitNotifier()));
    database.orm.em.getEventManager().registerSubscriber(new AppendedEventsSubscriber(found));
  }
  return found;
}

export class ConsoleNode {
  readonly database: Database;
  readonly stream: ConsoleStream;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly access: AccessCache;
  readonly #tokens: AccessTokens;
  readonly #clients: Client[] = [];
  readonly #port: number;
  relay: Relay = truthful;

  private constructor(
    parts: Pick<ConsoleNode, 'database' | 'stream' | 'sessions' | 'apiKeys' | 'access'>,
    tokens: AccessTokens,
    port: number,
  ) {
    this.database = parts.database;
    this.stream = parts.stream;
    this.sessions = parts.sessions;
    this.apiKeys = parts.apiKeys;
    this.access = parts.access;
    this.#tokens = tokens;
    this.#port = port;
  }

  /** Starts a node on the database, and ends it with the test. */
  static async start(t: Test, database: Database, clock: Clock = systemClock): Promise<ConsoleNode> {
    const ring = new KeyRing(`one:${randomBytes(32).toString('base64')}`);
    const hash = new KeyedHash(ring);
    const cursors = new Cursors(ring);
    const sessions = new Sessions(database, hash, refuseAccount);
    const apiKeys = new ApiKeys({ db: database, hash, cursors, rules: tenancyRules });
    const access = new AccessCache(database, clock);
    const tokens = new AccessTokens(parseTokenKeys(`one:${randomBytes(32).toString('base64')}`), clock);
    const keys = new KeyVerifier({ apiKeys, clock, log: silentLog });
    const authenticator = new Authenticator({ tokens, keys, sessions, clock });
    const tickets = new StreamTickets(database, hash);
    const members = new ConsoleMembers(database, access, tenancyRules);

    const server = new HttpServer({ log: silentLog, docsUrl });
    const standing = (asked: Parameters<typeof findRevokedCredentials>[1], now: number) =>
      findRevokedCredentials(database, asked, now);
    const stream = new ConsoleStream({
      admit: request =>
        admit({ authenticator, tokens, access, tickets, findRevokedCredentials: standing, clock }, request),
      events: { heads: ids => streamHeads(database, ids), page: span => eventPage(database, span) },
      publish: (topic, frame) => server.publish(topic, frame),
      follow: projectId => getNotifier(database).follow(projectId),
      findRevokedCredentials: standing,
      ...createSurroundings(),
      clock,
      log: silentLog,
      docsUrl,
    });
    const handlers = {
      ...consoleHandlers({ database, members, tickets, cursors }),
      ...eventHandlers({ database, cursors }),
    };
    serveOperations(server, { ...consoleOperations, ...eventOperations }, handlers, {
      authenticator,
      tenancy: access,
      idempotency: new Idempotency({
        keys: new IdempotencyKeys(database),
        vault: new Vault(ring),
        hash,
        log: silentLog,
      }),
      clock,
      log: silentLog,
      docsUrl,
    });
    server.websocket(`/v1${consoleOperations.openStream.path}`, stream);
    const port = await server.listen('127.0.0.1', 0);

    const node = new ConsoleNode({ database, stream, sessions, apiKeys, access }, tokens, port);
    getNotifier(database).addListener({
      onEvents: events => node.relay(events, event => stream.context.hub.onEvents([event])),
      onGap: projectIds => stream.context.hub.onGap(projectIds),
    });
    t.teardown(async () => {
      for (const client of node.#clients) client.socket.terminate();
      stream.shutDown();
      await server.close(0);
    });
    return node;
  }

  /** A user with a session, a member of no workspace yet. */
  async person(now = Date.now()): Promise<Person> {
    const userId = newId('user');
    const at = new Date(now);
    const opened = await this.database.em().transactional(async em => {
      const email = `${userId}@people.test`;
      em.create(User, { userId, email, emailKey: email, emailVerifiedAt: at, createdAt: at, updatedAt: at });
      return this.sessions.open(em, userId, { ...origin, userAgent: 'test' }, now, null);
    });
    const { sessionId } = opened;
    return { userId, sessionId, token: await this.#tokens.issue(userId, sessionId) };
  }

  /** A workspace with its project, and its owner. */
  async tenant(): Promise<Tenant> {
    const founder = await this.person();
    const now = new Date();
    const founded = await this.database.em().transactional(async em => {
      const { workspace, project } = addWorkspace(em, { name: 'Tenant', userId: founder.userId, now });
      await em.flush();
      const { environmentId } = await em.findOneOrFail(Environment, { projectId: project.projectId });
      return { workspaceId: workspace.workspaceId, projectId: project.projectId, sandbox: environmentId };
    });
    return { founder, ...founded };
  }

  /** Takes somebody into a workspace, and into the project's Console if a role is given. */
  async join(tenant: Tenant, person: Person, role?: ConsoleRole): Promise<void> {
    const stamps = { createdAt: new Date(), updatedAt: new Date() };
    const { workspaceId, projectId } = tenant;
    const { userId } = person;
    await this.database.em().transactional(async em => {
      em.create(WorkspaceMember, { workspaceId, userId, role: 'viewer', ...stamps });
      if (role !== undefined) em.create(ConsoleMember, { projectId, userId, role, ...stamps });
      await em.flush();
    });
  }

  /** The secret of a key of the project's sandbox. */
  async key(tenant: Tenant, scopes: readonly Scope[]): Promise<{ apiKeyId: string; secret: string }> {
    const { projectId, founder } = tenant;
    const { apiKey, secret } = await this.apiKeys.create({
      projectId,
      name: 'key',
      environment: 'test',
      scopes,
      expiresAt: null,
      byUserId: founder.userId,
      origin,
      now: Date.now(),
    });
    return { apiKeyId: apiKey.apiKeyId, secret };
  }

  /** Commits events in one transaction. */
  async commit(...events: readonly NewEvent[]): Promise<void> {
    await this.database.em().transactional(em => appendEvents(em, events));
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    bearer: string | undefined,
    body?: object,
  ): Promise<Reply<T>> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/v1${path}`, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
      headers: response.headers,
    };
  }

  /** Opens a socket with a bearer, or with a ticket. */
  connect(projectId: string, by: { readonly bearer?: string; readonly ticket?: string }): Client {
    const query = by.ticket === undefined ? '' : `?ticket=${by.ticket}`;
    const url = `ws://127.0.0.1:${this.#port}/v1/console/projects/${projectId}/events/stream${query}`;
    const client = new Client(
      url,
      by.bearer === undefined ? {} : { headers: { Authorization: `Bearer ${by.bearer}` } },
    );
    this.#clients.push(client);
    return client;
  }
}

/** An event of a tenant's sandbox, or of another environment. */
export function happening(tenant: Tenant, data: object = {}, environmentId = tenant.sandbox): NewEvent {
  return {
    projectId: tenant.projectId,
    environmentId,
    eventName: 'thread.message.received',
    data: { ...data },
  };
}
