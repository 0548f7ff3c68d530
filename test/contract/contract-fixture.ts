/**
 * What the contract is tried on: a whole node on a real PostgreSQL, two tenants with nothing in common, and in the first one
 * somebody in every role that there is.
 */
import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { AccessTokens, parseTokenKeys } from '../../gateway/auth/access-tokens.ts';
import { newId } from '../../protocol/ids.ts';
import type { ConsoleRole, Scope, StudioRole } from '../../protocol/operation.ts';
import type { Environment } from '../../protocol/resources/project.ts';
import { systemClock } from '../../runtime/time/clock.ts';
import type { Database } from '../../storage/database/database.ts';
import { Client, Line } from '../node/client.ts';
import { newKey, signUp, verifyEmail, type Tenant } from '../node/tenant.ts';
import { freshKey } from '../support/accounts.ts';
import { ChatappProvider } from '../support/chatapp-provider/index.ts';
import { startTestDatabase } from '../support/database.ts';
import { readMailedToken } from '../support/mailbox.ts';
import { NodeProcess } from '../support/node-process.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { NameServer } from '../support/name-server.ts';
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider/index.ts';
import { Receiver } from '../support/receiver.ts';
import { startModels } from './models.ts';

/** An environment of a tenant, and a key of it that has every scope. */
export interface TenantEnvironment {
  readonly fixture: ContractFixture;
  readonly tenant: Tenant;
  readonly projectId: string;
  readonly environmentId: string;
  readonly kind: 'sandbox' | 'production';
  readonly person: Client;
  readonly key: Client;
  /** Where its stitches may post to. */
  readonly webhookUrl: string;
}

/** What a person is, by the part of the product that the role belongs to. */
export type Role = `studio ${StudioRole}` | `console ${ConsoleRole}`;
export const roles = [
  ...(['studio owner', 'studio admin', 'studio developer', 'studio viewer'] as const),
  ...(['console project_owner', 'console agent', 'console viewer'] as const),
] satisfies readonly Role[];

export interface ContractFixture {
  readonly node: NodeProcess;
  readonly line: Line;
  readonly database: Database;
  /** The chat provider that the node knows. */
  readonly provider: ChatappProvider;
  /** An identity provider that knows the node, started when it is wanted, and TXT records of the node's name server. */
  readonly identity: { provider(): Promise<OidcProvider>; readonly records: Map<string, string> };
  /** Of a verified owner. */
  readonly sandbox: TenantEnvironment;
  readonly production: TenantEnvironment;
  /** Of another tenant. */
  readonly foreign: TenantEnvironment;
  /** Somebody in the first tenant's project, who is this and nothing else there; nobody's e-mail is verified but those of the tenants' owners. */
  readonly byRole: Readonly<Record<Role, Client>>;
  readonly outsider: Client;
  readonly anonymous: Client;
  /** The token of the newest link to that page that was mailed to the address, once there is one; each is given once. */
  getMailedToken(email: string, page: 'verify' | 'reset' | 'join' | 'email'): Promise<string>;
  /** A client with a new key of the environment. */
  createKey(env: TenantEnvironment, scopes: readonly Scope[]): Promise<Client>;
  /** A token of the person that has had its time. */
  expiredToken(person: Client): Promise<string>;
  /** Waits for nothing: fails where the node has logged an error, or does not serve. */
  assertHealthy(t: Test): Promise<void>;
}

/** Whoever has it operates the node. */
export const instanceAdmin = 'operator@example.com';

export function newAddress(): string {
  return `guest-${randomBytes(8).toString('hex')}@example.com`;
}

/**
 * Starts it all; it ends with the test.
 *
 * @param reach gives another address for that of the database
 */
export async function startContractFixture(
  t: Test,
  environment: Readonly<Record<string, string>> = {},
  reach: (url: string) => string | Promise<string> = url => url,
): Promise<ContractFixture> {
  const { url, database } = await startTestDatabase(t);
  const tokenKeys = freshKey();
  const models = await startModels(t);
  const provider = await ChatappProvider.start();
  t.teardown(() => provider.stop());
  const records = new Map<string, string>();
  const nameServer = await NameServer.start({}, name => [records.get(name) ?? []].flat());
  t.teardown(() => nameServer.stop());
  const node = await NodeProcess.make(t, {
    NAME_SERVERS: nameServer.address,
    INSTANCE_ADMINS: instanceAdmin,
    LLM_PROVIDER_1_URL: models,
    CHATAPP_GRAPH_URL: provider.url,
    DATABASE_URL: await reach(url),
    ALLOW_PRIVATE_ADDRESSES: 'true',
    TOKEN_KEYS: tokenKeys,
    LOG_LEVEL: 'info',
    ...environment,
  });
  await node.start();
  const line = new Line(node.url, t);
  let identityProvider: Promise<OidcProvider> | undefined;
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());

  const [own, other] = await Promise.all([signUp(line), signUp(line)]);
  await Promise.all([own, other].map(({ email }) => verifyEmail(node, line, email)));
  const { environmentId } = await own.person.get<Environment>('createEnvironment', {
    body: { projectId: own.projectId, name: 'production' },
  });
  const live = await newKey(own.person, own.projectId, 'live');
  const expired = new AccessTokens(parseTokenKeys(tokenKeys), {
    ...systemClock,
    now: () => Date.now() - 901_000,
  });

  const createTenantEnvironment = (
    tenant: Tenant,
    more: Partial<TenantEnvironment> = {},
  ): TenantEnvironment => {
    const { projectId, person, key } = tenant;
    const sandbox = {
      environmentId: tenant.environmentId,
      kind: 'sandbox',
      webhookUrl: receiver.url(),
    } as const;
    return { fixture, tenant, projectId, person, key, ...sandbox, ...more };
  };

  const fixture: ContractFixture = {
    node,
    line,
    database,
    provider,
    identity: {
      records,
      provider: () => (identityProvider ??= startOidcProvider(t, `${node.url}/studio/sso`)),
    },
    get sandbox() {
      return places.sandbox;
    },
    get production() {
      return places.production;
    },
    get foreign() {
      return places.foreign;
    },
    get byRole() {
      return byRole;
    },
    outsider: new Client(line, other.person.bearer),
    anonymous: new Client(line),

    getMailedToken: (email, page) => withTimeLimit(readMailedToken(node, email, page), 'mail'),

    async createKey({ person, projectId, kind }, scopes) {
      const body = { projectId, name: 'key', environment: kind === 'sandbox' ? 'test' : 'live', scopes };
      const { secret } = await person.get<{ secret: string }>('createApiKey', { body });
      return new Client(line, secret);
    },

    async expiredToken({ bearer }) {
      const claims = JSON.parse(Buffer.from(bearer?.split('.')[1] ?? '', 'base64url').toString()) as {
        readonly sub: string;
        readonly sid: string;
      };
      return expired.issue(claims.sub, claims.sid);
    },

    async assertHealthy(t) {
      t.equal((await fixture.anonymous.send('GET', '/readyz')).status, 200);
      t.same(
        node.lines.filter(({ level }) => level >= 50),
        [],
        'the node has no fault to report',
      );
    },
  };
  const places = {
    sandbox: createTenantEnvironment(own),
    production: createTenantEnvironment(own, {
      environmentId,
      kind: 'production',
      key: live.key,
      webhookUrl: receiver.url().replace('http:', 'https:'),
    }),
    foreign: createTenantEnvironment(other),
  };
  const people = await Promise.all(
    roles.map(async role => [role, await signUpInRole(fixture, role)] as const),
  );
  const byRole = Object.fromEntries(people) as Record<Role, Client>;
  return fixture;
}

/** Somebody new who is that in the first tenant's project, and nothing else. */
export async function signUpInRole(fixture: ContractFixture, role: Role): Promise<Client> {
  const { workspaceId, projectId } = fixture.sandbox.tenant;
  const { person, userId } = await signUp(fixture.line);
  const [part, name] = role.split(' ') as ['studio' | 'console', string];
  const [table, column, id] =
    part === 'console'
      ? ['console_members', 'project_id', projectId]
      : name === 'developer'
        ? ['project_members', 'project_id', projectId]
        : ['workspace_members', 'workspace_id', workspaceId];
  await fixture.database.query(
    `insert into ${table} (${column}, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [id, userId, name],
  );
  return person;
}

/** The id of somebody new, in the environment's workspace as a viewer, who has no password and never signs in. */
export async function newMember({ fixture, tenant }: TenantEnvironment): Promise<string> {
  const userId = newId('user');
  const email = newAddress();
  await fixture.database.query(
    `insert into users (user_id, email, email_key, email_verified_at, created_at, updated_at)
     values ($1, $2, $2, now(), now(), now())`,
    [userId, email],
  );
  await fixture.database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at)
     values ($1, $2, 'viewer', now(), now())`,
    [tenant.workspaceId, userId],
  );
  return userId;
}
