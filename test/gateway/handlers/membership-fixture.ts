/** People of one workspace, made over HTTP: who invites, who accepts, and what the workspace's events say of it. */
import { randomBytes } from 'node:crypto';
import type { Database } from '../../../storage/database/database.ts';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import type { AuthNode, Client, Reply } from '../auth/auth-fixture.ts';

export const password = 'correct horse battery';
export const absent = { status: 404, body: { error: 'svc/runtime/not_found' } };
export const denied = { status: 403, body: { error: 'svc/auth/insufficient_scope' } };
export const conflict = { status: 409, body: { error: 'svc/runtime/conflict' } };

export type User = Awaited<ReturnType<AuthNode['signedUp']>>;

export function newAddress(): string {
  return `guest-${randomBytes(6).toString('hex')}@example.com`;
}

export function membership(node: AuthNode, db: Database) {
  const getPath = ({ workspaceId }: Pick<User, 'workspaceId'>) => `/workspaces/${workspaceId}/invitations`;

  const verified = new Map<string, Promise<void>>();

  /** Only the verified invite: whoever was not verified before is so from now on. */
  async function invite(by: User, email: string, more: Record<string, unknown> = {}): Promise<Reply> {
    const { body: me } = await by.client.call('GET', '/studio/me');
    if (me['emailVerified'] === false && !verified.has(by.email)) {
      verified.set(by.email, node.verify(by.email));
    }
    await verified.get(by.email);
    return by.client.call('POST', getPath(by), { body: { email, ...more } });
  }

  /** Invites somebody, and gives the token that was mailed. */
  async function invited(by: User, email: string, more: Record<string, unknown> = {}): Promise<string> {
    const reply = await invite(by, email, more);
    if (reply.status !== 201) throw new Error(`the invitation answered ${reply.status}`);
    return node.tokenTo(email, 'join');
  }

  const accept = (client: Client, token: string, secret?: string): Promise<Reply> =>
    client.call('POST', '/studio/auth/accept-invitation', {
      body: { token, ...(secret === undefined ? {} : { password: secret }) },
    });

  /** Somebody new in the workspace of another, in a role; the rest is the other's. */
  async function joined(owner: User, role: 'owner' | 'admin' | 'viewer'): Promise<User> {
    const user = await node.signedUp();
    const { workspaceId, projectId } = owner;
    const stamps = { createdAt: new Date(), updatedAt: new Date() };
    await db.em().insert(WorkspaceMember, { workspaceId, userId: user.userId, role, ...stamps });
    return { ...user, workspaceId, projectId };
  }

  /** The events of a project, oldest first. */
  async function events({ projectId }: Pick<User, 'projectId'>) {
    const rows = await db.query<{ body: string }>(
      'select body from events where project_id = $1 order by seq',
      [projectId],
    );
    return rows.map(row => JSON.parse(row.body) as { eventName: string; data: Record<string, unknown> });
  }

  return { getPath, invite, invited, accept, joined, events };
}
