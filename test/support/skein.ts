/**
 * A node in the process of the test, composed as main.ts composes it, on a real PostgreSQL. The files of a worker process share one
 * ({@link shareSkein}): a test that needs a workspace, and no settings of the node, signs up there. A test that configures, restarts or
 * stops a node, or counts something over all tenants, starts one for itself ({@link startSkeinOn}).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSkein, type StartOptions } from '../../gateway/composition/start.ts';
import { readConfig } from '../../gateway/config/config.ts';
import { systemClock } from '../../runtime/time/clock.ts';
import type { Database } from '../../storage/database/database.ts';
import type { KeyedHash } from '../../storage/secrets/keyed-hash.ts';
import { Client, Line } from '../node/client.ts';
import { signUp, type Tenant } from '../node/tenant.ts';
import { freshKey } from './accounts.ts';
import { ChatappProvider } from './chatapp-provider/index.ts';
import { startTestDatabase } from './database.ts';
import { dataRoot } from './memory-folder.ts';
import { loadNodeHash } from './keyed-hash.ts';
import { ModelRouter } from './model-router.ts';
import { endAfterLastFile, isSharing } from './shared-by-files.ts';
import { TestLog } from './test-log.ts';

/** What ends with a test. */
export interface Ending {
  teardown(handler: () => Promise<void>): unknown;
}

/** A running node, and a client of it. */
export interface TestSkein {
  readonly url: string;
  readonly grpcPort: number | undefined;
  /** What the node has logged. Mails are found there (mailbox.ts). */
  readonly log: TestLog;
  /** Connections of the test's clients. */
  readonly line: Line;
  /** Signs up: a workspace with a project, a key of its sandbox, and a custom channel. */
  tenant(): Promise<Tenant>;
  /** A client with an access token or an API key, or with neither. */
  client(bearer?: string): Client;
  /** Drains and stops the node. Idempotent. The test calls it when it ends. */
  stop(): Promise<void>;
}

/** The node of a worker process. */
export interface SharedSkein extends TestSkein {
  readonly database: Database;
  readonly databaseUrl: string;
  /** The chat provider that the node knows. It serves the apps and numbers that tests add. */
  readonly provider: ChatappProvider;
  /** Leads the node to the model of a test, by the credential's secret. */
  readonly models: ModelRouter;
  /** Token of an internal service, for gRPC and service calls. */
  readonly serviceToken: string;
  /** The keys that sign access tokens, as TOKEN_KEYS. */
  readonly tokenKeys: string;
  /** The keyed hash of the node's database. */
  readonly hash: KeyedHash;
  /** Marks the tenant's address as verified and creates a production environment. Returns its id. */
  production(tenant: Tenant): Promise<string>;
}

/** Variables of the environment for a node of tests, before those that a test adds. */
const defaults: Readonly<Record<string, string>> = {
  HOST: '127.0.0.1',
  PORT: '0',
  GRPC_PORT: 'off',
  // All requests come from one address.
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'info',
  // Nothing listens there.
  CHATAPP_GRAPH_URL: 'http://127.0.0.1:1',
};

/**
 * Starts a node that ends with the test.
 *
 * @param databaseUrl of an empty database, or of one that other nodes use as well
 * @param variables of the environment
 */
export async function startSkeinOn(
  t: Ending,
  databaseUrl: string,
  variables: Readonly<Record<string, string>> = {},
  options: StartOptions = {},
): Promise<TestSkein> {
  const { node, stop } = await startNode(databaseUrl, variables, options);
  t.teardown(stop);
  return createTestSkein(t, node, stop);
}

interface StartedNode {
  readonly url: string;
  readonly grpcPort: number | undefined;
  readonly log: TestLog;
}

async function startNode(
  databaseUrl: string,
  variables: Readonly<Record<string, string>>,
  options: StartOptions = {},
): Promise<{ readonly node: StartedNode; readonly stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(dataRoot, `skein-test-${process.pid}-data-`));
  const config = readConfig({
    ...defaults,
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    SECRET_KEYS: freshKey(),
    TOKEN_KEYS: freshKey(),
    ...variables,
  });
  const log = new TestLog();
  const { url, grpcPort, stop } = await startSkein(config, log, new AbortController().signal, options);
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { node: { url, grpcPort, log }, stop: () => (ending ??= end()) };
}

function createTestSkein(t: Ending, node: StartedNode, stop: () => Promise<void>): TestSkein {
  const line = new Line(node.url, t);
  return {
    ...node,
    line,
    stop,
    tenant: () => signUp(line),
    client: bearer => new Client(line, bearer),
  };
}

type SharedNode = StartedNode &
  Pick<
    SharedSkein,
    'database' | 'databaseUrl' | 'provider' | 'models' | 'serviceToken' | 'tokenKeys' | 'hash' | 'stop'
  >;

let shared: Promise<SharedNode> | undefined;

/** Returns the node of this process, and starts it for the first test that asks. The test's connections end with the test. */
export async function shareSkein(t: Ending): Promise<SharedSkein> {
  const node = isSharing() ? await (shared ??= startShared(later)) : await startShared(t);
  const { database } = node;
  return {
    ...createTestSkein(t, node, node.stop),
    ...node,
    async production({ userId, person, projectId }) {
      await database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
      const body = { projectId, name: 'production' };
      for (;;) {
        // The node caches a session for a second.
        const reply = await person.ask<{ environmentId: string }>('createEnvironment', { body });
        if (reply.status === 201) return reply.body.environmentId;
        await new Promise<void>(resolve => void systemClock.after(20, resolve));
      }
    },
  };
}

const later: Ending = { teardown: endAfterLastFile };

async function startShared(t: Ending): Promise<SharedNode> {
  const { database, url: databaseUrl } = await startTestDatabase(t);
  const provider = await ChatappProvider.start();
  t.teardown(() => provider.stop());
  const models = await ModelRouter.start();
  t.teardown(() => models.stop());
  const serviceToken = 'service-token-of-all-tests-0123456789';
  const tokenKeys = freshKey();
  const secretKeys = freshKey();
  const { node, stop } = await startNode(databaseUrl, {
    GRPC_PORT: '0',
    SECRET_KEYS: secretKeys,
    TOKEN_KEYS: tokenKeys,
    SERVICE_TOKENS: `tests:${serviceToken}`,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    CHATAPP_GRAPH_URL: provider.url,
    LLM_PROVIDER_1_URL: models.url,
  });
  t.teardown(stop);
  const hash = await loadNodeHash(database, secretKeys);
  return { ...node, database, databaseUrl, provider, models, serviceToken, tokenKeys, hash, stop };
}
