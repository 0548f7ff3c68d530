/**
 * Whether an address has to sign in by the identity provider of a workspace (storage/sso): its domain is proven, and the workspace demands it.
 * The owners of that workspace are excepted, since nobody could repair a provider that lets nobody in any more.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { domainToASCII } from 'node:url';

/** The domain of an address as DNS compares it: punycode, lower case, without the root's dot; empty when it is not a domain. */
export function toEmailDomain(email: string): string {
  return domainToASCII(email.slice(email.lastIndexOf('@') + 1).trim())
    .replace(/\.$/, '')
    .toLowerCase();
}

const selectRequirement = `
  select 1 from sso_domains d
  join sso_connections c on c.workspace_id = d.workspace_id
  join workspaces w on w.workspace_id = d.workspace_id and w.archived_at is null
  where d.domain = ? and d.proven_at is not null and d.required and d.workspace_id is distinct from ? and not exists (
    select from workspace_members m where m.workspace_id = d.workspace_id and m.user_id = ? and m.role = 'owner')`;

/**
 * @param userId null: the address has no account yet
 * @param signedOnBy the workspace whose provider has vouched for the user; null: none has
 */
export async function mustSignOn(
  em: EntityManager,
  email: string,
  userId: string | null,
  signedOnBy: string | null = null,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(selectRequirement, [toEmailDomain(email), signedOnBy, userId]);
  return rows.length > 0;
}
