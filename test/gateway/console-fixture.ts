/** A node that serves the Console's and the event log's operations and the live stream, on a real PostgreSQL. */
import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { AccessTokens } from '../../gateway/auth/access-tokens.ts';
import { Authenticator } from '../../gateway/auth/authenticate.ts';
import { KeyVerifier } from '../../gateway/auth/key-verifier.ts';
import { parseTokenKeys } from '../../gateway/auth/token-keys.ts';
import { HttpServer } from '../../gateway/http/server.ts';
import { serveOperations } from '../../gateway/rest/engine.ts';
import { consoleHandlers } from '../../gateway/rest/handlers/console.ts';
import { eventHandlers } from '../../gateway/rest/handlers/events.ts';
import { Idempotency } from '../../gateway/rest/idempotency.ts';
import { admit } from '../../gateway/stream/admit.ts';
import { ConsoleStream } from '../../gateway/stream/endpoint.ts';
import { newId } from '../../protocol/ids.ts';
import type { ConsoleRole, Scope } from '../../protocol/operation.ts';
import { consoleOperations } from '../../protocol/operations/console.ts';
import { eventOperations } from '../../protocol/operations/events.ts';
import type { Clock } from '../../runtime/clock.ts';
import { silentLog } from '../../runtime/log.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { Sessions } from '../../storage/accounts/sessions.ts';
import { Cursors } from '../../storage/cursor.ts';
import type { Database } from '../../storage/database.ts';
import { User } from '../../storage/entities/accounts.ts';
import { ConsoleMember, Environment, WorkspaceMember } from '../../storage/entities/tenancy.ts';
import { appendEvents, AppendedEventsSubscriber, type NewEvent } from '../../storage/events.ts';
import { IdempotencyKeys } from '../../storage/idempotency.ts';
import { KeyHash } from '../../storage/keyhash.ts';
import { KeyRing } from '../../storage/keyring.ts';
import { News, type CommittedEvent } from '../../storage/news.ts';
import { eventPage, streamHeads } from '../../storage/reads/events.ts';
import { Access } from '../../storage/tenancy/access.ts';
import { ApiKeys } from '../../storage/tenancy/api-keys.ts';
import { ConsoleMembers } from '../../storage/tenancy/console-members.ts';
import { foundWorkspace } from '../../storage/tenancy/founding.ts';
import { fallen } from '../../storage/tenancy/standing.ts';
import { StreamTickets } from '../../storage/tenancy/tickets.ts';
import { Vault } from '../../storage/vault.ts';
import { Client } from './stream-fixture.ts';
import { origin } from '../support/accounts.ts';

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

const news = new WeakMap<Database, News>();

/** The news of a database, which all its nodes hear. */
function newsOf(database: Database): News {
  let found = news.get(database);
  if (found === undefined) {
    news.set(database, (found = new News()));
    database.orm.em.getEventManager().registerSubscriber(new AppendedEventsSubscriber(found));
  }
  return found;
}

export class ConsoleNode {
  readonly database: Database;
  readonly stream: ConsoleStream;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly access: Access;
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
    const hash = new KeyHash(ring);
    const cursors = new Cursors(ring);
    const sessions = new Sessions(database, hash);
    const apiKeys = new ApiKeys({ db: database, hash, cursors });
    const access = new Access(database, clock);
    const tokens = new AccessTokens(parseTokenKeys(`one:${randomBytes(32).toString('base64')}`), clock);
    const keys = new KeyVerifier({ apiKeys, clock, log: silentLog });
    const authenticator = new Authenticator({ tokens, keys, sessions, clock });
    const tickets = new StreamTickets(database, hash);
    const members = new ConsoleMembers(database, access);

    const server = new HttpServer({ log: silentLog, docsUrl });
    const standing = (asked: Parameters<typeof fallen>[1], now: number) => fallen(database, asked, now);
    const stream = new ConsoleStream({
      admit: request => admit({ authenticator, tokens, access, tickets, fallen: standing, clock }, request),
      events: { heads: ids => streamHeads(database, ids), page: span => eventPage(database, span) },
      publish: (topic, frame) => server.publish(topic, frame),
      fallen: standing,
      clock,
      log: silentLog,
      docsUrl,
    });
    const handlers = {
      ...consoleHandlers({ database, members, tickets, cursors }),
      ...eventHandlers({ database, cursors }),
    };
    serveOperations(server, { ...consoleOperations, ...eventOperations }, handlers, {
      authenticate: request => authenticator.authenticate(request.header('authorization'), request),
      tenancy: access,
      idempotency: new Idempotency(new IdempotencyKeys(database, clock), new Vault(ring), silentLog),
      clock,
      log: silentLog,
      docsUrl,
    });
    server.websocket(`/v1${consoleOperations.openStream.path}`, stream);
    const port = await server.listen('127.0.0.1', 0);

    const node = new ConsoleNode({ database, stream, sessions, apiKeys, access }, tokens, port);
    newsOf(database).listen({
      events: events => node.relay(events, event => stream.accept([event])),
      behind: projectIds => stream.behind(projectIds),
      deliveries: () => undefined,
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
      return this.sessions.open(em, userId, { ...origin, userAgent: 'test' }, now);
    });
    const { sessionId } = opened;
    return { userId, sessionId, token: await this.#tokens.issue(userId, sessionId) };
  }

  /** A workspace with its project, and its owner. */
  async tenant(): Promise<Tenant> {
    const founder = await this.person();
    const now = new Date();
    const founded = await this.database.em().transactional(async em => {
      const { workspace, project } = foundWorkspace(em, { name: 'Tenant', userId: founder.userId, now });
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
