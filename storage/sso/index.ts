/** Single sign-on by OIDC: identity providers of workspaces, proofs of their domains, and whoever signs in by them. */
export { DomainChecks, type DueDomain } from './domain-checks.ts';
export { type FlowSecrets, SsoFlows, type StartedFlow } from './flows.ts';
export { maxSsoDomains, SsoSettings, type SsoDomainState, type SsoState } from './settings.ts';
export { SsoSignIn } from './sign-in.ts';
