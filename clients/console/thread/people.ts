/** The names of those who work in the project. */
import type { ConsoleMember, WorkspaceMember } from '../../sdk/index.ts';

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
  readonly members: readonly ConsoleMember[];
  /** Empty where the operator may not see them. */
  readonly workspaceMembers: readonly WorkspaceMember[];
  readonly me: { readonly userId: string; readonly email: string };
  /** Of somebody of whom nothing but the id is known. */
  readonly nameless: (shortId: string) => string;
}

/** By their names; the operator first. */
export function listColleagues({ members, workspaceMembers, me, nameless }: Known): readonly Colleague[] {
  const emails = new Map([...workspaceMembers, me].map(({ userId, email }) => [userId, email]));
  const developers = workspaceMembers.filter(({ role }) => role !== 'viewer').map(({ userId }) => userId);
  const answering = new Set([
    ...members.filter(({ role }) => role !== 'viewer').map(({ userId }) => userId),
    ...developers,
  ]);
  const userIds = new Set([me.userId, ...members.map(({ userId }) => userId), ...developers]);
  return Array.from(userIds, userId => ({
    userId,
    name: toName(emails.get(userId)) ?? nameless(userId.slice(-4)),
    isMe: userId === me.userId,
    canAnswer: answering.has(userId) || userId === me.userId,
  })).sort((one, other) => Number(other.isMe) - Number(one.isMe) || one.name.localeCompare(other.name));
}

/** `ines.maier@example.com`: Ines Maier. */
function toName(email: string | undefined): string | undefined {
  const words = email?.split('@')[0]?.split(/[._+-]+/) ?? [];
  const name = words.map(word => word.charAt(0).toLocaleUpperCase() + word.slice(1)).join(' ');
  return name === '' ? undefined : name;
}
