/** The names of those who work in the project. */
import type { ListedConsoleMember, WorkspaceMember } from '../../sdk/index.ts';
import { toReadableName } from '../../kit/people/readable-name.ts';

export interface Colleague {
  readonly userId: string;
  readonly name: string;
  readonly isMe: boolean;
  /** What they have chosen. */
  readonly avatarColor?: string | null | undefined;
  /** Whether threads may be assigned to them. */
  readonly canAnswer: boolean;
}

interface Known {
  readonly members: readonly ListedConsoleMember[];
  /** Empty where the operator may not see them. */
  readonly workspaceMembers: readonly WorkspaceMember[];
  readonly me: { readonly userId: string; readonly email: string };
  /** Of somebody of whom nothing but the id is known. */
  readonly nameless: (shortId: string) => string;
}

/** Whether the operator looks after the project, and so writes what is everybody's. Where nothing says, the server will. */
export function looksAfterProject({ members, workspaceMembers, me }: Omit<Known, 'nameless'>): boolean {
  const isMe = ({ userId }: { readonly userId: string }): boolean => userId === me.userId;
  const [own, inWorkspace] = [members.find(isMe), workspaceMembers.find(isMe)];
  if (own === undefined && inWorkspace === undefined) return true;
  return own?.role === 'project_owner' || (inWorkspace !== undefined && inWorkspace.role !== 'viewer');
}

/** By their names; the operator first. */
export function listColleagues({ members, workspaceMembers, me, nameless }: Known): readonly Colleague[] {
  const profiles = new Map([...workspaceMembers, ...members].map(member => [member.userId, member]));
  const developers = workspaceMembers.filter(({ role }) => role !== 'viewer').map(({ userId }) => userId);
  const answering = new Set([
    ...members.filter(({ role }) => role !== 'viewer').map(({ userId }) => userId),
    ...developers,
  ]);
  // Of themselves operators know it, or the lists are not for them.
  const isViewer = [...members, ...workspaceMembers].some(({ userId }) => userId === me.userId);
  const userIds = new Set([me.userId, ...members.map(({ userId }) => userId), ...developers]);
  return Array.from(userIds, userId => ({
    userId,
    name: toReadableName(
      profiles.get(userId)?.displayName ?? toName(userId, me) ?? nameless(userId.slice(-4)),
    ),
    avatarColor: profiles.get(userId)?.avatarColor,
    isMe: userId === me.userId,
    canAnswer: answering.has(userId) || (userId === me.userId && !isViewer),
  })).sort((one, other) => Number(other.isMe) - Number(one.isMe) || one.name.localeCompare(other.name));
}

/** Where nothing else is known: what stands before the @ of the operator's own address, as the server has it. */
const toName = (userId: string, me: Known['me']): string | undefined =>
  userId === me.userId ? me.email.split('@')[0] : undefined;
