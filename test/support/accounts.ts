/** The services of accounts and tenancy on a real database, as main composes them, for the tests that need people. */
import { randomBytes } from 'node:crypto';
import { refuseAccount } from '../../gateway/accounts/refusals.ts';
import { tenancyRules } from '../../gateway/tenancy/rules.ts';
import { type Clock, systemClock } from '../../runtime/time/clock.ts';
import { Acceptance } from '../../storage/accounts/acceptance.ts';
import { AccountChanges } from '../../storage/accounts/account-changes.ts';
import { AccountRemoval } from '../../storage/accounts/account-removal.ts';
import { Accounts } from '../../storage/accounts/accounts.ts';
import { type ClaimedMail, MailOutbox, type VerificationMail } from '../../storage/mail/mail-outbox.ts';
import { PasskeyChallenges } from '../../storage/accounts/passkey-challenges.ts';
import { PasskeyLogins } from '../../storage/accounts/passkey-logins.ts';
import { Passkeys } from '../../storage/accounts/passkeys.ts';
import { toRelyingParty } from '../../storage/accounts/webauthn.ts';
import { LoginChallenges } from '../../storage/accounts/login-challenges.ts';
import { SecondFactors } from '../../storage/accounts/second-factors.ts';
import { OwnSessions } from '../../storage/accounts/own-sessions.ts';
import { PasswordResets } from '../../storage/accounts/password-resets.ts';
import { type OpenSession, Sessions } from '../../storage/accounts/sessions.ts';
import type { UserAuditContext, RequestOrigin } from '../../storage/audit/record.ts';
import { Cursors } from '../../storage/paging/cursors.ts';
import type { Database } from '../../storage/database/database.ts';
import { KeyedHash } from '../../storage/secrets/keyed-hash.ts';
import { KeyRing } from '../../storage/secrets/key-ring.ts';
import { AccessCache } from '../../storage/tenancy/access-cache.ts';
import { ApiKeys } from '../../storage/tenancy/api-keys.ts';
import { ConsoleMembers } from '../../storage/tenancy/console-members.ts';
import { Environments } from '../../storage/tenancy/environments.ts';
import { Invitations } from '../../storage/tenancy/invitations.ts';
import { PartnerApps } from '../../storage/tenancy/partner-apps.ts';
import { ProjectMembers } from '../../storage/tenancy/project-members.ts';
import { Projects } from '../../storage/tenancy/projects.ts';
import { WorkspaceMembers } from '../../storage/tenancy/workspace-members.ts';
import { Workspaces } from '../../storage/tenancy/workspaces.ts';
import { Vault } from '../../storage/secrets/vault.ts';

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly session: OpenSession;
  readonly workspaceId: string;
  /** The default project, and its sandbox. */
  readonly projectId: string;
  readonly environmentId: string;
}

/** The request that tests act by. */
export const origin: RequestOrigin = { requestId: 'req_test', address: '192.0.2.1' };

/** An act of that user. `now` in epoch milliseconds. */
export function auditContext(byUserId: string, now = Date.now()): UserAuditContext {
  return { byUserId, origin, now };
}

/** A `kid:base64` text, as SECRET_KEYS and TOKEN_KEYS have them. */
export function freshKey(kid = 'test'): string {
  return `${kid}:${randomBytes(32).toString('base64')}`;
}

export function accountServices(db: Database, clock: Clock = systemClock, baseUrl = 'http://skein.test') {
  const rules = tenancyRules;
  const refuse = refuseAccount;
  const ring = new KeyRing(freshKey());
  const hash = new KeyedHash(ring);
  const cursors = new Cursors(ring);
  const vault = new Vault(ring);
  const mails = new MailOutbox(db, vault);
  const sessions = new Sessions(db, hash, refuse);
  const accounts = new Accounts({ db, hash, sessions, mails, refuse });
  const access = new AccessCache(db, clock);
  const workspaces = new Workspaces(db, cursors, rules);
  const projects = new Projects(db, cursors, rules);
  const environments = new Environments({ db, cursors, access, rules });
  const apiKeys = new ApiKeys({ db, hash, cursors, rules });
  const partnerApps = new PartnerApps({ db, hash, vault, cursors, rules });
  const resets = new PasswordResets({ db, hash, mails, refuse });
  const ownSessions = new OwnSessions({ db, cursors, refuse });
  const changes = new AccountChanges({ db, hash, mails, refuse });
  const removal = new AccountRemoval({ db, mails, access, refuse });
  const factors = new SecondFactors({ db, hash, vault, mails, refuse });
  const challenges = new LoginChallenges({ db, hash, sessions, factors, refuse });
  const passkeyChallenges = new PasskeyChallenges({ db, hash, refuse });
  const ofPasskeys = { db, challenges: passkeyChallenges, party: toRelyingParty(baseUrl), refuse };
  const passkeys = new Passkeys({ ...ofPasskeys, cursors, mails, factors });
  const passkeyLogins = new PasskeyLogins({ ...ofPasskeys, sessions, logins: challenges });
  const acceptance = new Acceptance({ db, hash, sessions, access, refuse });
  const invitations = new Invitations({ db, hash, mails, cursors, rules });
  const members = new WorkspaceMembers({ db, cursors, access, rules });
  const projectMembers = new ProjectMembers({ db, cursors, access, rules });
  const consoleMembers = new ConsoleMembers(db, access, rules);
  let people = 0;

  /** Signs somebody up, without the cost of a real password hash. */
  async function newPerson(): Promise<Person> {
    people += 1;
    const email = `person-${people}-${randomBytes(4).toString('hex')}@example.com`;
    const session = await accounts.signUp({
      email,
      passwordHash: 'not a hash',
      workspaceName: `Workspace ${people}`,
      app: 'studio',
      client: { ...origin, userAgent: 'test' },
      now: clock.now(),
    });
    const { userId } = session;
    const { workspaceId, projectId = '' } = await accounts.studioUser(userId);
    const { data } = await environments.list(userId, projectId, { limit: 1 });
    return { userId, email, session, workspaceId, projectId, environmentId: data[0]?.environmentId ?? '' };
  }

  return {
    hash,
    mails,
    sessions,
    accounts,
    access,
    workspaces,
    projects,
    environments,
    apiKeys,
    partnerApps,
    vault,
    cursors,
    resets,
    acceptance,
    factors,
    challenges,
    passkeys,
    passkeyLogins,
    ownSessions,
    changes,
    removal,
    invitations,
    members,
    projectMembers,
    consoleMembers,
    newPerson,
  };
}

/** The token of a mail as the outbox gives it to its sender. */
export function readToken({ kind, secret }: Pick<ClaimedMail, 'kind' | 'secret'>): string {
  return kind === 'verify_account' ? (JSON.parse(secret) as VerificationMail).token : secret;
}
