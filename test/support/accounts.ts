/** The services of accounts and tenancy on a real database, as main composes them, for the tests that need people. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { Acceptance } from '../../storage/accounts/acceptance.ts';
import { Accounts } from '../../storage/accounts/accounts.ts';
import { Mails } from '../../storage/accounts/mails.ts';
import { PasswordResets } from '../../storage/accounts/password-resets.ts';
import { Sessions } from '../../storage/accounts/sessions.ts';
import type { OpenSession } from '../../storage/accounts/sessions.ts';
import type { Doing, Origin } from '../../storage/audit.ts';
import { Cursors } from '../../storage/cursor.ts';
import type { Database } from '../../storage/database.ts';
import { KeyHash } from '../../storage/keyhash.ts';
import { KeyRing } from '../../storage/keyring.ts';
import { Access } from '../../storage/tenancy/access.ts';
import { ApiKeys } from '../../storage/tenancy/api-keys.ts';
import { ConsoleMembers } from '../../storage/tenancy/console-members.ts';
import { Environments } from '../../storage/tenancy/environments.ts';
import { Invitations } from '../../storage/tenancy/invitations.ts';
import { PartnerApps } from '../../storage/tenancy/partner-apps.ts';
import { Projects } from '../../storage/tenancy/projects.ts';
import { WorkspaceMembers } from '../../storage/tenancy/workspace-members.ts';
import { Workspaces } from '../../storage/tenancy/workspaces.ts';
import { Vault } from '../../storage/vault.ts';

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
export const origin: Origin = { requestId: 'req_test', address: '192.0.2.1' };

/** An act of that user. `now` in epoch milliseconds. */
export function doing(byUserId: string, now = Date.now()): Doing {
  return { byUserId, origin, now };
}

/** A `kid:base64` text, as SECRET_KEYS and TOKEN_KEYS have them. */
export function freshKey(kid = 'test'): string {
  return `${kid}:${randomBytes(32).toString('base64')}`;
}

export function accountServices(db: Database, clock: Clock = systemClock) {
  const ring = new KeyRing(freshKey());
  const hash = new KeyHash(ring);
  const cursors = new Cursors(ring);
  const vault = new Vault(ring);
  const mails = new Mails(db, vault);
  const sessions = new Sessions(db, hash);
  const accounts = new Accounts({ db, hash, sessions, mails });
  const access = new Access(db, clock);
  const workspaces = new Workspaces(db, cursors);
  const projects = new Projects(db, cursors);
  const environments = new Environments({ db, cursors, access });
  const apiKeys = new ApiKeys({ db, hash, cursors });
  const partnerApps = new PartnerApps({ db, hash, vault, cursors });
  const resets = new PasswordResets({ db, hash, mails });
  const acceptance = new Acceptance({ db, hash, sessions, access });
  const invitations = new Invitations({ db, hash, mails, cursors });
  const members = new WorkspaceMembers({ db, cursors, access });
  const consoleMembers = new ConsoleMembers(db, access);
  let people = 0;

  /** Signs somebody up, without the cost of a real password hash. */
  async function newPerson(): Promise<Person> {
    people += 1;
    const email = `person-${people}-${randomBytes(4).toString('hex')}@example.com`;
    const session = await accounts.signUp({
      email,
      passwordHash: 'not a hash',
      workspaceName: `Workspace ${people}`,
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
    invitations,
    members,
    consoleMembers,
    newPerson,
  };
}
