/**
 * What the contract tests run against: a whole node on a real PostgreSQL, shared by the files of a worker process. Each file has two tenants of
 * its own with nothing in common and, in the first one, a person in every role.
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
import { type MailedPage, readMailedToken } from '../support/mailbox.ts';
import { NameServer } from '../support/name-server.ts';
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider/index.ts';
import { Receiver } from '../support/receiver.ts';
import { endAfterLastFile, isSharing } from '../support/shared-by-files.ts';
import { type Ending, startSkeinOn } from '../support/skein.ts';
import type { TestLog } from '../support/test-log.ts';
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
  /** Receives the webhooks of its stitches. */
  readonly webhookUrl: string;
}

/** A role, with the part of the product that it belongs to. */
export type Role = `studio ${StudioRole}` | `console ${ConsoleRole}`;
export const roles = [
  ...(['studio owner', 'studio admin', 'studio developer', 'studio viewer'] as const),
  ...(['console project_owner', 'console agent', 'console viewer'] as const),
] satisfies readonly Role[];

interface ContractNode {
  readonly url: string;
  readonly log: TestLog;
  readonly database: Database;
  readonly tokenKeys: string;
  /** The chat provider that the node knows. */
  readonly provider: ChatappProvider;
  /** TXT records of the node's name server. */
  readonly records: Map<string, string>;
  /** An identity provider that knows the node. Starts it for the first test that asks. */
  identityProvider(): Promise<OidcProvider>;
  readonly receiver: Receiver;
}

export interface ContractFixture extends ContractNode {
  readonly line: Line;
  /** Of a verified owner. */
  readonly sandbox: TenantEnvironment;
  readonly production: TenantEnvironment;
  /** Of another tenant. */
  readonly foreign: TenantEnvironment;
  /** A person who has only this role, in the first tenant's project, and whose address is not verified: the same one each time. */
  inRole(role: Role): Promise<Client>;
  readonly outsider: Client;
  readonly anonymous: Client;
  /** Waits for a mail with a link to the page. Returns the token of the newest link; each is returned once. */
  getMailedToken(email: string, page: MailedPage): Promise<string>;
  /** Creates a key of the environment. */
  createKey(env: TenantEnvironment, scopes: readonly Scope[]): Promise<Client>;
  /** Issues an expired token of the person. */
  expiredToken(person: Client): Promise<string>;
  /** Fails when the node has logged an error since the file began, or does not serve. */
  assertHealthy(t: Test): Promise<void>;
}

/** The address of the operator, who may read the state of the whole node. */
export const instanceAdmin = 'operator@example.com';

export function newAddress(): string {
  return `guest-${randomBytes(8).toString('hex')}@example.com`;
}

let shared: Promise<ContractNode> | undefined;

function shareNode(t: Ending): Promise<ContractNode> {
  return isSharing() ? (shared ??= startNode({ teardown: endAfterLastFile })) : startNode(t);
}

async function startNode(t: Ending, reach: Reach = url => url): Promise<ContractNode> {
  const { url: databaseUrl, database } = await startTestDatabase(t);
  const tokenKeys = freshKey();
  const provider = await ChatappProvider.start();
  t.teardown(() => provider.stop());
  const records = new Map<string, string>();
  const nameServer = await NameServer.start({}, name => [records.get(name) ?? []].flat());
  t.teardown(() => nameServer.stop());
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const { url, log } = await startSkeinOn(t, await reach(databaseUrl), {
    NAME_SERVERS: nameServer.address,
    INSTANCE_ADMINS: instanceAdmin,
    LLM_PROVIDER_1_URL: await startModels(t),
    CHATAPP_GRAPH_URL: provider.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    TOKEN_KEYS: tokenKeys,
  });
  let identityProvider: Promise<OidcProvider> | undefined;
  return {
    url,
    log,
    database,
    tokenKeys,
    provider,
    records,
    receiver,
    identityProvider: () => (identityProvider ??= startOidcProvider(t, `${url}/studio/sso`)),
  };
}

/** Returns another address for that of the database. */
type Reach = (url: string) => string | Promise<string>;

/** @param reach for a node of the file's own, which reaches its database there */
export async function startContractFixture(t: Test, reach?: Reach): Promise<ContractFixture> {
  const node = await (reach === undefined ? shareNode(t) : startNode(t, reach));
  const { url, log, receiver } = node;
  const line = new Line(url, t);
  const earlier = log.lines.length;
  const [own, other] = await Promise.all([signUp(line), signUp(line)]);
  await Promise.all([own, other].map(({ email }) => verifyEmail(log, line, email)));
  const { environmentId } = await own.person.get<Environment>('createEnvironment', {
    body: { projectId: own.projectId, name: 'production' },
  });
  const live = await newKey(own.person, own.projectId, 'live');
  const expired = new AccessTokens(parseTokenKeys(node.tokenKeys), {
    ...systemClock,
    now: () => Date.now() - 901_000,
  });
  const people = new Map<Role, Promise<Client>>();

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
    ...node,
    line,
    get sandbox() {
      return places.sandbox;
    },
    get production() {
      return places.production;
    },
    get foreign() {
      return places.foreign;
    },
    outsider: new Client(line, other.person.bearer),
    anonymous: new Client(line),

    inRole(role) {
      const person = people.get(role) ?? signUpInRole(fixture, role);
      people.set(role, person);
      return person;
    },

    getMailedToken: (email, page) => readMailedToken(log, email, page),

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
        log.lines.slice(earlier).filter(({ level }) => level >= 50),
        [],
        'the node has logged no error',
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
  return fixture;
}

/** Signs up a person and gives them the role in the first tenant's project, and no other. */
async function signUpInRole({ line, database, sandbox }: ContractFixture, role: Role): Promise<Client> {
  const { workspaceId, projectId } = sandbox.tenant;
  const { person, userId } = await signUp(line);
  const [part, name] = role.split(' ') as ['studio' | 'console', string];
  const [table, column, id] =
    part === 'console'
      ? ['console_members', 'project_id', projectId]
      : name === 'developer'
        ? ['project_members', 'project_id', projectId]
        : ['workspace_members', 'workspace_id', workspaceId];
  await database.query(
    `insert into ${table} (${column}, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [id, userId, name],
  );
  return person;
}

/** Adds a viewer to the environment's workspace, who has no password and never signs in. Returns the user's id. */
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
