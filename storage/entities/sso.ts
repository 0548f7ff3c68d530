/** Single sign-on: a workspace's identity provider, the domains that it signs in, and sign-ins that are under way. */
import { defineEntity, p } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

/** The identity provider of a workspace. */
export const SsoConnection = defineEntity({
  name: 'SsoConnection',
  tableName: 'sso_connections',
  properties: {
    workspaceId: id().primary(),
    issuer: p.text(),
    clientId: p.text(),
    /** JWE, context `sso_connections/<id>/client_secret`. */
    clientSecret: p.text(),
    createdAt: instant(),
    updatedAt: instant(),
  },
});

/** A domain whose addresses the provider vouches for, once the workspace has proven that it has the domain. */
export const SsoDomain = defineEntity({
  name: 'SsoDomain',
  tableName: 'sso_domains',
  properties: {
    workspaceId: id().primary(),
    /** As DNS compares it: punycode, lower case. */
    domain: id().primary(),
    /** What the record in DNS has to say. Another one for another issuer. */
    proof: p.text(),
    provenAt: instant().nullable(),
    /** When the record was last looked for, and since when it was not there. Null: never; it was there. */
    checkedAt: instant().nullable(),
    missingSince: instant().nullable(),
    /** Its addresses sign in by the provider alone, those of the workspace's owners excepted. */
    required: p.boolean().default(false),
    createdAt: instant(),
    updatedAt: instant(),
  },
  uniques: [{ name: 'sso_domains_proven', properties: ['domain'], where: 'proven_at is not null' }],
});

/** A sign-in that is at the provider, for 10 minutes (storage/sso/flows.ts). */
export const SsoFlow = defineEntity({
  name: 'SsoFlow',
  tableName: 'sso_flows',
  properties: {
    flowHash: p.blob().primary(),
    workspaceId: id(),
    /** As it was when the sign-in began: the answer of another is not for it. */
    issuer: p.text(),
    /** The member whose address began it. */
    userId: p.text().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [{ name: 'sso_flows_expires', properties: ['expiresAt'] }],
});
