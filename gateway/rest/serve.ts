/** The public interfaces of a node: the REST operations, the files' bytes, the documentation and the Console stream. */
import { join } from 'node:path';
import type { Graph } from '../../actors/chatapp/index.ts';
import type { Trials } from '../../actors/run/index.ts';
import { operations } from '../../protocol/operations/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Log, Metrics, Tracer } from '../../runtime/observability/index.ts';
import { systemRandom, type Clock } from '../../runtime/time/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import { Accounts, KnownAddresses, Sessions, toRelyingParty } from '../../storage/accounts/index.ts';
import type { RecentWebhooks } from '../../storage/chatapp/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { CommitNotifier } from '../../storage/events/index.ts';
import { IdempotencyKeys } from '../../storage/idempotency/index.ts';
import type { MailOutbox } from '../../storage/mail/index.ts';
import type { Media } from '../../storage/media/index.ts';
import { Cursors } from '../../storage/paging/index.ts';
import { KeyedHash, type KeyRing, type RootKeys, type Vault } from '../../storage/secrets/index.ts';
import { AccessCache, ApiKeys, type ArchivedProjects, StreamTickets } from '../../storage/tenancy/index.ts';
import {
  AccessTokens,
  Authenticator,
  InstanceAdmins,
  KeyVerifier,
  parseTokenKeys,
  Passwords,
  RefreshCookie,
  ServiceTokens,
  SignUpPolicy,
} from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { serveDocs, showToPeople } from '../docs/index.ts';
import { ChannelDirectory, createHandlers, type ToolTester, WebhookDirectory } from '../handlers/index.ts';
import { showTraffic, type HttpServer } from '../http/index.ts';
import {
  folderTransport,
  MailMetrics,
  MailSender,
  serveMailbox,
  servesMailbox,
  smtpTransport,
} from '../mail/index.ts';
import { MediaLinks, serveMedia } from '../media/index.ts';
import { Idempotency, type RateLimiter, ReadAdmission, type StorageRoom } from '../pipeline/index.ts';
import { createRateLimiter } from '../quota/index.ts';
import type { SendRequest } from '../sso/index.ts';
import type { SystemReader } from '../system/index.ts';
import { serveWebApps } from '../web/index.ts';
import { serveConsoleStream, type StreamContext } from '../stream/index.ts';
import { AnswerMetrics, chargeUnrouted, serveOperations } from './operations.ts';
import { tenancyRules } from '../tenancy/index.ts';
import { refuseAccount } from '../accounts/index.ts';

export interface RestOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly database: Database;
  readonly notifier: CommitNotifier;
  readonly ring: KeyRing;
  readonly hashRoot: RootKeys;
  readonly vault: Vault;
  readonly mails: MailOutbox;
  readonly server: HttpServer;
  /** Public addresses, without a slash at the end. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** As TOKEN_KEYS. */
  readonly tokenKeys: string;
  readonly node: Node;
  /** The way to the other nodes. */
  readonly transport: Pick<Transport, 'publish' | 'subscribe'>;
  readonly media: Media;
  readonly toolTester: ToolTester;
  readonly trials: Pick<Trials, 'run'>;
  /** A queue of the node's pool. */
  readonly identityProviders: { readonly send: SendRequest };
  readonly graph: Graph;
  readonly recentWebhooks: RecentWebhooks;
  readonly archived: ArchivedProjects;
  readonly system: Pick<SystemReader, 'read'>;
  readonly room: StorageRoom;
}

/** What gRPC uses as well. */
export interface SharedServices {
  readonly channels: ChannelDirectory;
  readonly cursors: Cursors;
  readonly access: AccessCache;
  readonly idempotency: Idempotency;
  readonly room: StorageRoom;
  readonly streams: StreamContext;
}

export interface Rest {
  readonly shared: SharedServices;
  /** Mail has been committed by something other than a REST request. */
  wakeMail(): void;
  /** Closes the Console sockets and the subscriptions of gRPC, with a code that tells their clients to come back. */
  shutDownStreams(): void;
  /** Finishes the mail in progress, and writes the last uses of API keys. */
  stop(): Promise<void>;
}

/** Registers every public route on the server. */
export function serveRest(options: RestOptions): Rest {
  const { config, log, clock, metrics, database, ring, hashRoot, vault, server, baseUrl, docsUrl } = options;
  const hash = new KeyedHash(hashRoot);
  const cursors = new Cursors(hashRoot);
  const access = new AccessCache(database, clock);
  const channels = new ChannelDirectory(database, clock, config.natsUrls === undefined);
  const tickets = new StreamTickets(database, hash);
  const idempotency = new Idempotency({ keys: new IdempotencyKeys(database), vault, hash, log });
  const limiter = createLimiter(options, hash);
  const mail = createMail(options);
  const credentials = createCredentials(options, { hash, cursors, mail: mail.sender });
  const { authenticator, tokens } = credentials.signingIn;
  const links = new MediaLinks(ring, baseUrl);
  const chatapp = createChatapp(options);
  const handlers = createHandlers({
    ...options,
    ...credentials,
    hash,
    cursors,
    access,
    channels,
    tickets,
    links,
    ...chatapp,
    reach: config.outboundReach,
    nameServers: config.nameServers,
    instanceAdmins: new InstanceAdmins(config.instanceAdmins),
    limits: config.limits,
  });
  serveOperations(server, operations, handlers, {
    ...credentials.callers,
    tenancy: access,
    idempotency,
    limiter,
    room: options.room,
    reads: new ReadAdmission(clock),
    clock,
    log,
    tracer: options.tracer,
    docsUrl,
    metrics: new AnswerMetrics(metrics.registry),
    admitRawBody: chatapp.webhooks.admitBody,
  });
  showTraffic(metrics.registry, server);
  serveMedia({ server, database, media: options.media, links, clock, log, docsUrl });
  servePages(options, limiter);
  const stream = serveConsoleStream({ ...options, authenticator, tokens, access, tickets, limiter });

  mail.sender.start();
  return {
    shared: { channels, cursors, access, idempotency, room: options.room, streams: stream.context },
    wakeMail: () => mail.sender.wake(),
    shutDownStreams: () => stream.shutDown(),
    async stop() {
      await credentials.verifier.drain();
      await mail.sender.drain();
      mail.close();
    },
  };
}

/** What a browser gets: the documentation, the web apps, and what it is told where there is nothing. */
function servePages(
  { config, server, baseUrl, docsUrl }: RestOptions,
  limiter: RateLimiter | undefined,
): void {
  serveDocs(server);
  const hasMailbox = servesMailbox(config);
  if (hasMailbox) serveMailbox(server, getMailFolder(config));
  serveWebApps(server, {
    baseUrl,
    signup: config.signup,
    hasMailbox,
    passkeyOrigin: toRelyingParty(baseUrl).origin,
    chatapp: { ...config.chatapp.signup, appId: config.chatapp.app?.appId },
  });
  const charge = limiter === undefined ? undefined : chargeUnrouted(limiter, docsUrl);
  server.unrouted((request, answer) => {
    const shown = () => showToPeople(request, answer());
    return charge === undefined ? shown() : charge(request, shown);
  });
}

/** The rate limits; undefined where RATE_LIMITS is off. */
function createLimiter(
  { config, node, clock, metrics, database }: RestOptions,
  hash: KeyedHash,
): RateLimiter | undefined {
  const { rateLimits: rates } = config;
  if (rates === undefined) return undefined;
  const known = new KnownAddresses(database, clock);
  return createRateLimiter({ rates, node, hash, known, clock, metrics, random: systemRandom });
}

/** The service's own app at the chat provider, and how channels are connected. */
function createChatapp({ config, database, vault, clock }: RestOptions) {
  const { app: ownApp } = config.chatapp;
  const webhooks = new WebhookDirectory({ database, vault, clock, ownApp });
  return { ownApp, webhooks };
}

/** Where mails are written without a mail server. */
const getMailFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'mail');

/** The sender of mail: by SMTP where it is configured, else into a folder. */
function createMail({ config, mails, clock, metrics: { registry }, baseUrl, log }: RestOptions) {
  const transport =
    config.smtpUrl === undefined
      ? folderTransport(getMailFolder(config), config.mailFrom, log)
      : smtpTransport(config.smtpUrl, config.mailFrom);
  const metrics = new MailMetrics(registry);
  const sender = new MailSender({ mails, transport, metrics, clock, baseUrl, log });
  return { sender, close: () => transport.close() };
}

/** API keys, access tokens, and what signing in needs. */
function createCredentials(
  { config, database: db, mails, clock, log, tokenKeys, baseUrl }: RestOptions,
  { hash, cursors, mail }: { readonly hash: KeyedHash; readonly cursors: Cursors; readonly mail: MailSender },
) {
  const sessions = new Sessions(db, hash, refuseAccount);
  const apiKeys = new ApiKeys({ db, hash, cursors, rules: tenancyRules, limits: config.limits });
  const tokens = new AccessTokens(parseTokenKeys(tokenKeys), clock);
  const verifier = new KeyVerifier({ apiKeys, clock, log });
  const signingIn = {
    accounts: new Accounts({ db, hash, sessions, mails, refuse: refuseAccount }),
    sessions,
    tokens,
    authenticator: new Authenticator({
      tokens,
      keys: verifier,
      sessions,
      clock,
      // Else anybody could name an address of such a domain, and work without ever having it.
      mustVerify: config.emailDomains.length > 0,
    }),
    mail,
    passwords: new Passwords(),
    policy: new SignUpPolicy({ open: config.signup === 'open', emailDomains: config.emailDomains }),
    cookie: new RefreshCookie(baseUrl),
  };
  const { authenticator } = signingIn;
  const callers = { authenticator, serviceTokens: new ServiceTokens(config.serviceTokens) };
  return { apiKeys, verifier, signingIn, callers };
}
