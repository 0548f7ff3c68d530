/** The ways out of single sign-on: asking identity providers (OIDC), and the DNS for proofs of domains. */
export { DomainProofs, type FindRecords, toDomain } from './domain-proofs.ts';
export { IdentityProviders, ProviderRefused, type SendRequest } from './identity-providers.ts';
