/** Single sign-on: the identity provider of a workspace, its domains, and signing in by it. */
import Type from 'typebox';
import type { Static, TString } from 'typebox';
import {
  body,
  choice,
  emailAddress,
  httpUrl,
  id,
  instant,
  nullable,
  optional,
  resource,
  text,
} from './fields.ts';

const DnsRecord = resource('DnsRecord', {
  name: Type.String(),
  type: choice(['TXT']),
  value: Type.String(),
});

export const SsoDomain = resource('SsoDomain', {
  domain: Type.String(),
  record: DnsRecord,
  provenAt: nullable(instant()),
  required: Type.Boolean(),
});
export type SsoDomain = Static<typeof SsoDomain>;

/** Without a provider: null. The secret is shown to nobody. */
export const SingleSignOn = resource('SingleSignOn', {
  workspaceId: id('workspace'),
  issuer: nullable(Type.String()),
  clientId: nullable(Type.String()),
  redirectUri: Type.String(),
  domains: Type.Array(SsoDomain),
  updatedAt: nullable(instant()),
});
export type SingleSignOn = Static<typeof SingleSignOn>;

export const SetSingleSignOnBody = body('SetSingleSignOnBody', {
  issuer: httpUrl(),
  clientId: text(1, 512),
  clientSecret: optional(text(1, 2_048)),
});
export type SetSingleSignOnBody = Static<typeof SetSingleSignOnBody>;

export const AddSsoDomainBody = body('AddSsoDomainBody', { domain: text(1, 253) });
export type AddSsoDomainBody = Static<typeof AddSsoDomainBody>;

export const UpdateSsoDomainBody = body('UpdateSsoDomainBody', { required: Type.Boolean() });
export type UpdateSsoDomainBody = Static<typeof UpdateSsoDomainBody>;

export const BeginSingleSignOnBody = body('BeginSingleSignOnBody', { email: emailAddress() });
export type BeginSingleSignOnBody = Static<typeof BeginSingleSignOnBody>;

/** `flow` stays in the browser that began. */
export const StartedSingleSignOn = resource('StartedSingleSignOn', {
  flow: Type.String(),
  url: Type.String(),
});
export type StartedSingleSignOn = Static<typeof StartedSingleSignOn>;

/** What a provider puts into an address: printable ASCII (RFC 6749, appendix A; RFC 9207). */
const printable = (max: number): TString => Type.String({ pattern: '^[\\x20-\\x7e]+$', maxLength: max });

export const FinishSingleSignOnBody = body('FinishSingleSignOnBody', {
  flow: text(1, 512),
  code: printable(4_096),
  state: text(1, 512),
  issuer: optional(printable(2_048)),
});
export type FinishSingleSignOnBody = Static<typeof FinishSingleSignOnBody>;
