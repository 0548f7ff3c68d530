/** The REST face and the Console stream of a node: services, handlers, routes. */
import { join } from 'node:path';
import { operations } from '../protocol/operations/table.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Node } from '../runtime/node.ts';
import { systemRandom } from '../runtime/system-random.ts';
import type { Transport } from '../runtime/transport/transport.ts';
import { Acceptance } from '../storage/accounts/acceptance.ts';
import { Accounts } from '../storage/accounts/accounts.ts';
import type { Mails } from '../storage/accounts/mails.ts';
import { PasswordResets } from '../storage/accounts/password-resets.ts';
import { Sessions } from '../storage/accounts/sessions.ts';
import { Agents } from '../storage/agents/agents.ts';
import { BudgetSettings } from '../storage/agents/budgets.ts';
import { ByokCredentials } from '../storage/agents/byok.ts';
import { LoomVersions } from '../storage/agents/loom-versions.ts';
import { Looms } from '../storage/agents/looms.ts';
import { Tools } from '../storage/agents/tools.ts';
import { Cursors } from '../storage/cursor.ts';
import type { Database } from '../storage/database.ts';
import { IdempotencyKeys } from '../storage/idempotency.ts';
import { KeyHash } from '../storage/keyhash.ts';
import type { KeyRing } from '../storage/keyring.ts';
import type { Media } from '../storage/media.ts';
import type { News } from '../storage/news.ts';
import { eventPage, streamHeads } from '../storage/reads/events.ts';
import { Access } from '../storage/tenancy/access.ts';
import { ApiKeys } from '../storage/tenancy/api-keys.ts';
import { ConsoleMembers } from '../storage/tenancy/console-members.ts';
import { Environments } from '../storage/tenancy/environments.ts';
import { Invitations } from '../storage/tenancy/invitations.ts';
import { PartnerApps } from '../storage/tenancy/partner-apps.ts';
import { Projects } from '../storage/tenancy/projects.ts';
import { fallen } from '../storage/tenancy/standing.ts';
import { StreamTickets } from '../storage/tenancy/tickets.ts';
import { WorkspaceMembers } from '../storage/tenancy/workspace-members.ts';
import { Workspaces } from '../storage/tenancy/workspaces.ts';
import type { Vault } from '../storage/vault.ts';
import { AccessTokens } from './auth/access-tokens.ts';
import { Authenticator } from './auth/authenticate.ts';
import { KeyVerifier } from './auth/key-verifier.ts';
import { Passwords } from './auth/passwords.ts';
import { RefreshCookie } from './auth/refresh-cookie.ts';
import { SignUpPolicy } from './auth/sign-up-policy.ts';
import { parseTokenKeys } from './auth/token-keys.ts';
import type { Config } from './config.ts';
import type { HttpServer } from './http/server.ts';
import { serveMedia } from './media/face.ts';
import { MediaLinks } from './media/links.ts';
import { MailSender } from './mail/sender.ts';
import { folderTransport, smtpTransport } from './mail/transport.ts';
import { quotasOf } from './quota/quotas.ts';
import { serveDocs } from './docs/serve.ts';
import { serveOperations } from './rest/engine.ts';
import { ChannelDirectory } from './channel-directory.ts';
import { acceptanceHandlers } from './rest/handlers/acceptance.ts';
import { agentHandlers } from './rest/handlers/agents.ts';
import { apiKeyHandlers } from './rest/handlers/api-keys.ts';
import { attachmentHandlers } from './rest/handlers/attachments.ts';
import { auditHandlers } from './rest/handlers/audit.ts';
import { authHandlers } from './rest/handlers/auth.ts';
import { budgetHandlers } from './rest/handlers/budgets.ts';
import { byokHandlers } from './rest/handlers/byok.ts';
import { channelTrafficHandlers } from './rest/handlers/channel-traffic.ts';
import { channelHandlers } from './rest/handlers/channels.ts';
import { consoleHandlers } from './rest/handlers/console.ts';
import { contractHandlers } from './rest/handlers/contract.ts';
import { deliveryHandlers } from './rest/handlers/deliveries.ts';
import { eventHandlers } from './rest/handlers/events.ts';
import { invitationHandlers } from './rest/handlers/invitations.ts';
import { loomHandlers } from './rest/handlers/looms.ts';
import { memberHandlers } from './rest/handlers/members.ts';
import { messageHandlers } from './rest/handlers/messages.ts';
import { noteHandlers } from './rest/handlers/notes.ts';
import { presenceHandlers } from './rest/handlers/presence.ts';
import { partnerAppHandlers } from './rest/handlers/partner-apps.ts';
import { passwordResetHandlers } from './rest/handlers/password-reset.ts';
import { privacyHandlers } from './rest/handlers/privacy.ts';
import { projectHandlers } from './rest/handlers/projects.ts';
import { runHandlers } from './rest/handlers/runs.ts';
import { stitchHandlers } from './rest/handlers/stitches.ts';
import { threadHandlers } from './rest/handlers/threads.ts';
import { toolHandlers, type ToolTester } from './rest/handlers/tools.ts';
import { usageHandlers } from './rest/handlers/usage.ts';
import { workspaceHandlers } from './rest/handlers/workspaces.ts';
import { Idempotency } from './rest/idempotency.ts';
import { RestMetrics } from './rest/metrics.ts';
import { tollUnrouted } from './rest/unrouted.ts';
import { admit } from './stream/admit.ts';
import { ConsoleStream } from './stream/endpoint.ts';
import { showGlimpse, watchGlimpses } from './stream/glimpses.ts';
import type { StreamContext } from './stream/subscriber.ts';

export interface RestOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly news: News;
  readonly ring: KeyRing;
  readonly vault: Vault;
  readonly mails: Mails;
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
}

/** What the gRPC face does its work with as well. */
export interface SharedServices {
  readonly channels: ChannelDirectory;
  readonly cursors: Cursors;
  readonly access: Access;
  readonly idempotency: Idempotency;
  readonly streams: StreamContext;
}

export interface Rest {
  readonly shared: SharedServices;
  /** Mail has been committed that no request of this face has made. */
  wakeMail(): void;
  /** Sends the Console sockets and the subscribers of gRPC away, with a code that tells them to come back. */
  shutDownStreams(): void;
  /** Finishes mail in hand and writes what was counted of keys. */
  stop(): Promise<void>;
}

/** Registers every route of /v1 on the server. */
export function serveRest(options: RestOptions): Rest {
  const { config, log, clock, metrics, database, news, ring, vault, mails, server, node, baseUrl, docsUrl } =
    options;
  const hash = new KeyHash(ring);
  const cursors = new Cursors(ring);
  const access = new Access(database, clock);
  const sessions = new Sessions(database, hash);
  const apiKeys = new ApiKeys({ db: database, hash, cursors });
  const accounts = new Accounts({ db: database, hash, sessions, mails });
  const tokens = new AccessTokens(parseTokenKeys(options.tokenKeys), clock);
  const verifier = new KeyVerifier({ apiKeys, clock, log });
  const authenticator = new Authenticator({ tokens, keys: verifier, sessions, clock });
  const tickets = new StreamTickets(database, hash);
  const channels = new ChannelDirectory(database, clock);
  const links = new MediaLinks(ring, baseUrl);
  serveMedia({ server, database, media: options.media, links, clock, log, docsUrl });
  const transport =
    config.smtpUrl === undefined
      ? folderTransport(join(config.dataDir, 'mail'), config.mailFrom, log)
      : smtpTransport(config.smtpUrl, config.mailFrom);
  const mail = new MailSender({ mails, transport, clock, baseUrl, log });

  const signingIn = {
    ...{ accounts, sessions, tokens, authenticator, mail },
    passwords: new Passwords(),
    policy: new SignUpPolicy({ open: config.signup === 'open', emailDomains: config.emailDomains }),
    cookie: new RefreshCookie(baseUrl),
  };
  const handlers = {
    ...authHandlers(signingIn),
    ...passwordResetHandlers({ ...signingIn, resets: new PasswordResets({ db: database, hash, mails }) }),
    ...acceptanceHandlers({
      ...signingIn,
      acceptance: new Acceptance({ db: database, hash, sessions, access }),
    }),
    ...invitationHandlers({
      ...signingIn,
      invitations: new Invitations({ db: database, hash, mails, cursors }),
    }),
    ...memberHandlers({
      members: new WorkspaceMembers({ db: database, cursors, access }),
      ...{ database, node, clock, log },
    }),
    ...workspaceHandlers(new Workspaces(database, cursors)),
    ...projectHandlers({
      projects: new Projects(database, cursors),
      environments: new Environments({ db: database, cursors, access }),
    }),
    ...apiKeyHandlers({ apiKeys, verifier }),
    ...partnerAppHandlers(new PartnerApps({ db: database, hash, vault, cursors }), baseUrl),
    ...auditHandlers(database, cursors),
    ...usageHandlers(database, cursors),
    ...budgetHandlers(new BudgetSettings(database)),
    ...byokHandlers({
      database,
      credentials: new ByokCredentials({ db: database, hash, vault, cursors }),
    }),
    ...toolHandlers({
      ...{ database, tools: new Tools({ db: database, vault, cursors }) },
      ...{ tester: options.toolTester, reach: config.outboundReach },
    }),
    ...loomHandlers({
      database,
      looms: new Looms({ db: database, cursors }),
      versions: new LoomVersions({ db: database, cursors }),
    }),
    ...agentHandlers({ database, agents: new Agents({ db: database, cursors }) }),
    ...runHandlers({ database, node, cursors, clock }),
    ...threadHandlers({ database, node, cursors, channels, access }),
    ...noteHandlers({ database, node, cursors }),
    ...presenceHandlers({ database, node, show: glimpse => showGlimpse(options.transport, glimpse) }),
    ...privacyHandlers({ database, node }),
    ...messageHandlers({ database, node, cursors }),
    ...attachmentHandlers({ database, links }),
    ...channelHandlers({ database, node, cursors, channels }),
    ...channelTrafficHandlers({ database, node, cursors, channels }),
    ...stitchHandlers({ database, node, cursors, vault, reach: config.outboundReach }),
    ...deliveryHandlers({ database, node, cursors }),
    ...consoleHandlers({ database, members: new ConsoleMembers(database, access), tickets, cursors }),
    ...eventHandlers({ database, cursors }),
    ...contractHandlers({ baseUrl, docsUrl }),
  };
  const { rateLimits: rates } = config;
  const quotas =
    rates === undefined ? undefined : quotasOf({ rates, node, hash, clock, metrics, random: systemRandom });
  const idempotency = new Idempotency(new IdempotencyKeys(database, clock), vault, log);
  serveOperations(server, operations, handlers, {
    authenticate: (request, from) => authenticator.authenticate(request.header('authorization'), from),
    tenancy: access,
    ...{ idempotency, clock, log, docsUrl },
    ...(quotas === undefined ? undefined : { quotas }),
    onAnswered: new RestMetrics(metrics.registry, server).answered,
  });

  if (quotas !== undefined) server.unrouted(tollUnrouted(quotas, docsUrl));

  serveDocs(server, { baseUrl, docsUrl });

  const standing = (asked: Parameters<typeof fallen>[1], now: number): ReturnType<typeof fallen> =>
    fallen(database, asked, now);
  const follow = (projectId: string): (() => void) => {
    const ends = [
      news.follow(projectId),
      watchGlimpses(options.transport, projectId, ({ environmentId, body }) =>
        stream.ephemeral(projectId, environmentId, body),
      ),
    ];
    return () => ends.forEach(end => end());
  };
  const stream: ConsoleStream = new ConsoleStream({
    admit: request =>
      admit({ authenticator, tokens, access, tickets, fallen: standing, clock, quotas }, request),
    events: { heads: ids => streamHeads(database, ids), page: span => eventPage(database, span) },
    publish: (topic, frame) => server.publish(topic, frame),
    follow,
    fallen: standing,
    ...{ clock, log, docsUrl },
  });
  server.websocket(`/v1${operations.openStream.path}`, stream);
  news.listen({
    events: events => stream.accept(events),
    behind: projectIds => stream.behind(projectIds),
    deliveries: () => undefined,
  });

  mail.start();
  return {
    shared: { channels, cursors, access, idempotency, streams: stream.context },
    wakeMail: () => mail.wake(),
    shutDownStreams: () => stream.shutDown(),
    async stop() {
      await verifier.drain();
      await mail.drain();
      transport.close();
    },
  };
}
