/** The handlers of all operations. */
import type { Graph, PartnerAppKeys } from '../../actors/chatapp/index.ts';
import type { Trials } from '../../actors/run/index.ts';
import type { operations } from '../../protocol/operations/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Reach } from '../../runtime/outbound/index.ts';
import type { Limits } from '../../storage/writes/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import {
  Acceptance,
  AccountChanges,
  AccountRemoval,
  LoginChallenges,
  OwnSessions,
  PasskeyChallenges,
  PasskeyLogins,
  Passkeys,
  PasswordResets,
  SecondFactors,
  toRelyingParty,
} from '../../storage/accounts/index.ts';
import {
  Agents,
  BudgetSettings,
  ByokCredentials,
  Looms,
  LoomVersions,
  Tools,
} from '../../storage/agents/index.ts';
import type { RecentWebhooks } from '../../storage/chatapp/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { MailOutbox } from '../../storage/mail/index.ts';
import type { Cursors } from '../../storage/paging/index.ts';
import type { KeyedHash, Vault } from '../../storage/secrets/index.ts';
import { SsoFlows, SsoSettings, SsoSignIn } from '../../storage/sso/index.ts';
import {
  type AccessCache,
  type ApiKeys,
  type ArchivedProjects,
  CannedReplies,
  ConsoleMembers,
  Environments,
  Invitations,
  PartnerApps,
  ProjectMembers,
  Projects,
  type StreamTickets,
  WorkspaceMembers,
  Workspaces,
} from '../../storage/tenancy/index.ts';
import type { InstanceAdmins, KeyVerifier } from '../auth/index.ts';
import type { MediaLinks } from '../media/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { publishEphemeral } from '../stream/index.ts';
import { acceptanceHandlers, invitationHandlers } from './invitations.ts';
import { accountHandlers } from './account.ts';
import { agentHandlers } from './agents.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { attachmentHandlers } from './attachments.ts';
import { auditHandlers } from './audit.ts';
import { authHandlers, passwordResetHandlers, type AuthServices } from './auth.ts';
import { budgetHandlers, usageHandlers } from './usage.ts';
import { bulkHandlers } from './bulk.ts';
import { byokHandlers } from './byok.ts';
import type { ChannelDirectory } from './channel-directory.ts';
import { cannedReplyHandlers } from './canned-replies.ts';
import { channelTrafficHandlers } from './channel-traffic.ts';
import { channelHandlers } from './channels.ts';
import { chatappHandlers } from './chatapp.ts';
import { chatappReadinessHandlers } from './chatapp-readiness.ts';
import { chatappTemplateHandlers } from './chatapp-templates.ts';
import { chatappWebhookHandlers, type WebhookDirectory } from './chatapp-webhook.ts';
import { consoleHandlers } from './console.ts';
import { contractHandlers } from './contract.ts';
import { credentialHandlers } from './credentials.ts';
import { deliveryHandlers } from './deliveries.ts';
import { eventHandlers } from './events.ts';
import { inboundMessageHandlers } from './inbound-messages.ts';
import { loomTrialHandlers } from './loom-trials.ts';
import { loomHandlers } from './looms.ts';
import { memberHandlers } from './members.ts';
import { mentionHandlers } from './mentions.ts';
import { messageHandlers } from './messages.ts';
import { noteHandlers } from './notes.ts';
import { partnerAppHandlers } from './partner-apps.ts';
import { passkeyHandlers } from './passkeys.ts';
import { presenceHandlers } from './presence.ts';
import { privacyHandlers } from './privacy.ts';
import { profileHandlers } from './profile.ts';
import { environmentHandlers, projectHandlers, workspaceHandlers } from './workspaces.ts';
import { replayHandlers } from './replays.ts';
import { runHandlers } from './runs.ts';
import { secondFactorHandlers } from './second-factor.ts';
import { ssoHandlers } from './single-sign-on.ts';
import { stitchHandlers } from './stitches.ts';
import { systemHandlers } from './system.ts';
import { threadHandlers } from './threads.ts';
import { toolHandlers, type ToolTester } from './tools.ts';
import { agentRules } from '../agents/index.ts';
import { DomainProofs, IdentityProviders, type SendRequest } from '../sso/index.ts';
import type { SystemReader } from '../system/index.ts';
import { tenancyRules } from '../tenancy/index.ts';
import { refuseAccount } from '../accounts/index.ts';

/** What the handlers of all operations need. */
export interface HandlerServices {
  readonly database: Database;
  readonly node: Node;
  /** The way to the other nodes. */
  readonly transport: Pick<Transport, 'publish'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly hash: KeyedHash;
  readonly vault: Vault;
  readonly cursors: Cursors;
  readonly access: AccessCache;
  readonly channels: ChannelDirectory;
  readonly signingIn: AuthServices;
  readonly apiKeys: ApiKeys;
  readonly verifier: KeyVerifier;
  readonly tickets: StreamTickets;
  readonly mails: MailOutbox;
  readonly links: MediaLinks;
  readonly toolTester: ToolTester;
  readonly trials: Pick<Trials, 'run'>;
  /** Asks identity providers. */
  readonly identityProviders: { readonly send: SendRequest };
  /** Who is asked for proofs of domains. Empty: the system's name servers. */
  readonly nameServers: readonly string[];
  /** The chat provider's API, and the service's own app there, if it has one. */
  readonly graph: Graph;
  readonly ownApp: PartnerAppKeys | undefined;
  readonly webhooks: WebhookDirectory;
  readonly recentWebhooks: RecentWebhooks;
  readonly archived: ArchivedProjects;
  readonly system: Pick<SystemReader, 'read'>;
  readonly instanceAdmins: InstanceAdmins;
  /** How much a tenant may have. */
  readonly limits: Limits;
  /** What webhooks and tools may reach. */
  readonly reach: Reach;
  /** Public addresses, without a slash at the end. */
  readonly baseUrl: string;
  readonly docsUrl: string;
}

export function createHandlers(services: HandlerServices): Handlers<typeof operations> {
  return {
    ...signInHandlers(services),
    ...tenancyHandlers(services),
    ...conversationHandlers(services),
    ...automationHandlers(services),
    ...auditHandlers(services.database, services.cursors),
    ...usageHandlers(services.database, services.cursors),
    ...systemHandlers(services),
    ...contractHandlers({ baseUrl: services.baseUrl, docsUrl: services.docsUrl }),
  };
}

/** Signing in, and accounts. */
function signInHandlers(services: HandlerServices) {
  const { database: db, node, clock, log, hash, vault, mails, cursors, access, signingIn } = services;
  const { sessions } = signingIn;
  const refuse = refuseAccount;
  const factors = new SecondFactors({ db, hash, vault, mails, refuse });
  const logins = new LoginChallenges({ db, hash, sessions, factors, refuse });
  const passkeys = createPasskeys(services, factors, logins);
  return {
    ...authHandlers(signingIn),
    ...accountHandlers({
      ...signingIn,
      factors,
      passkeyLogins: passkeys.passkeyLogins,
      database: db,
      node,
      clock,
      log,
      ownSessions: new OwnSessions({ db, cursors, refuse }),
      changes: new AccountChanges({ db, hash, mails, refuse }),
      removal: new AccountRemoval({ db, mails, access, refuse }),
    }),
    ...secondFactorHandlers({ ...signingIn, factors, challenges: logins }),
    ...passkeyHandlers({ ...signingIn, ...passkeys, factors }),
    ...ssoHandlers({ ...signingIn, ...createSingleSignOn(services) }),
    ...profileHandlers(db),
    ...passwordResetHandlers({
      ...signingIn,
      resets: new PasswordResets({ db, hash, mails, refuse }),
    }),
    ...acceptanceHandlers({
      ...signingIn,
      acceptance: new Acceptance({ db, hash, sessions, access, refuse }),
    }),
    ...invitationHandlers({
      ...signingIn,
      invitations: new Invitations({ db, hash, mails, cursors, rules: tenancyRules }),
    }),
  };
}

/** Passkeys belong to the public address of the service. */
function createPasskeys(
  { database: db, hash, mails, cursors, signingIn: { sessions }, baseUrl }: HandlerServices,
  factors: SecondFactors,
  logins: LoginChallenges,
) {
  const refuse = refuseAccount;
  const party = toRelyingParty(baseUrl);
  const challenges = new PasskeyChallenges({ db, hash, refuse });
  return {
    passkeys: new Passkeys({ db, cursors, mails, factors, challenges, party, refuse }),
    passkeyLogins: new PasskeyLogins({ db, sessions, logins, challenges, party, refuse }),
  };
}

/** Providers lead back to a page of Studio, for all apps. */
function createSingleSignOn(services: HandlerServices) {
  const { database: db, hash, vault, access, reach, identityProviders, nameServers, baseUrl } = services;
  const {
    signingIn: { sessions },
    log,
  } = services;
  const refuse = refuseAccount;
  return {
    settings: new SsoSettings({ db, vault, rules: tenancyRules }),
    flows: new SsoFlows({ db, hash, vault, refuse }),
    ssoSignIn: new SsoSignIn({ db, hash, sessions, access, refuse }),
    providers: new IdentityProviders({
      send: (request, owner) => identityProviders.send(request, owner),
      reach,
      redirectUri: `${baseUrl}/studio/sso`,
    }),
    proofs: new DomainProofs(nameServers),
    log,
  };
}

/** Workspaces, projects and who may act in them. */
function tenancyHandlers(services: HandlerServices) {
  const { database, database: db, node, clock, log, hash, vault, cursors, access } = services;
  const { apiKeys, verifier, tickets, baseUrl, limits } = services;
  const archiving = { database, node, access, verifier, archived: services.archived };
  const members = new WorkspaceMembers({ db, cursors, access, rules: tenancyRules, limits });
  const projectMembers = new ProjectMembers({ db, cursors, access, rules: tenancyRules });
  const workspaces = new Workspaces(db, cursors, tenancyRules, limits);
  const projects = new Projects(db, cursors, tenancyRules, limits);
  const environments = new Environments({ db, cursors, access, rules: tenancyRules });
  return {
    ...credentialHandlers({
      apiKeys,
      workspaces,
      authenticator: services.signingIn.authenticator,
      instanceAdmins: services.instanceAdmins,
    }),
    ...workspaceHandlers({ workspaces, members, ...archiving }),
    ...memberHandlers({ members, projectMembers, apiKeys, database, node, clock, log }),
    ...projectHandlers({ projects, ...archiving }),
    ...environmentHandlers(environments),
    ...apiKeyHandlers({ apiKeys, verifier }),
    ...cannedReplyHandlers({
      database,
      replies: new CannedReplies({ db, cursors, rules: tenancyRules, limits }),
    }),
    ...partnerAppHandlers(new PartnerApps({ db, hash, vault, cursors, rules: tenancyRules }), baseUrl),
    ...consoleHandlers({ database, members: new ConsoleMembers(db, access, tenancyRules), tickets, cursors }),
  };
}

/** Channels, threads and messages, and the events of what happens to them. */
function conversationHandlers(services: HandlerServices) {
  const { database, node, cursors, channels, access, links, transport, vault, reach, limits } = services;
  const { graph, ownApp, webhooks, recentWebhooks, hash, log, clock, baseUrl } = services;
  const provider = { database, node, vault, channels, graph, ownApp, log };
  return {
    ...channelHandlers({ database, node, cursors, channels, limits }),
    ...channelTrafficHandlers({ database, node, cursors, channels }),
    ...chatappHandlers({ ...provider, vault, webhooks, baseUrl }),
    ...chatappReadinessHandlers({ ...provider, baseUrl }),
    ...chatappTemplateHandlers({ ...provider, clock, cursors }),
    ...chatappWebhookHandlers({ database, node, vault, hash, webhooks, recentWebhooks }),
    ...inboundMessageHandlers({ database, node, channels }),
    ...threadHandlers({ database, node, cursors, channels, access }),
    ...bulkHandlers({ database, node, access }),
    ...messageHandlers({ database, node, cursors }),
    ...noteHandlers({ database, node, cursors, access }),
    ...mentionHandlers({ database, cursors }),
    ...presenceHandlers({ database, node, show: event => publishEphemeral(transport, event) }),
    ...attachmentHandlers({ database, links, limits }),
    ...privacyHandlers({ database, node, cursors }),
    ...eventHandlers({ database, cursors }),
    ...stitchHandlers({ database, node, cursors, vault, reach, limits }),
    ...deliveryHandlers({ database, node, cursors }),
    ...replayHandlers({ database, node }),
  };
}

/** Agents, their parts and their runs. */
function automationHandlers(services: HandlerServices) {
  const {
    database,
    database: db,
    node,
    clock,
    hash,
    vault,
    cursors,
    reach,
    toolTester: tester,
    trials,
    limits,
  } = services;
  const rules = agentRules;
  const looms = new Looms({ db, cursors, rules, limits });
  const versions = new LoomVersions({ db, cursors, rules });
  return {
    ...byokHandlers({ database, credentials: new ByokCredentials({ db, hash, vault, cursors, rules }) }),
    ...toolHandlers({ database, tools: new Tools({ db, vault, cursors, rules, limits }), tester, reach }),
    ...loomHandlers({ database, looms, versions, cursors }),
    ...loomTrialHandlers({ database, looms, versions, trials }),
    ...agentHandlers({ database, agents: new Agents({ db, cursors, rules, limits }) }),
    ...runHandlers({ database, node, cursors, clock }),
    ...budgetHandlers(new BudgetSettings(db, services.limits)),
  };
}
