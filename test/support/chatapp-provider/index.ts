/**
 * A chat provider to build and test against (`ChatappProvider`): tokens, numbers, sending, files, templates, and webhooks that are
 * signed and retried. chatapp-provider.test.ts says how it behaves.
 */
export type { Account, App, PhoneNumber, Token } from './accounts.ts';
export type { Delivery } from './deliveries.ts';
export { providerErrors, type ProviderErrorCode } from './errors.ts';
export type { SentMessage } from './messages.ts';
export { ChatappProvider, type Status } from './provider.ts';
export { readFields, readText, type Route } from './requests.ts';
export {
  createContact,
  createEntry,
  createEnvelope,
  createPayload,
  createValue,
  type Json,
  type Participant,
  sign,
  writeJson,
} from './webhooks.ts';
