import type { PartnerAppCredential } from '../../../sdk/index.ts';

/** Where Studio keeps the configuration of an app's embedded sign-up, which is no secret. */
const field = 'signupConfigId';

/** Empty: nobody has said it. */
export function getConfigId({ metadata }: Pick<PartnerAppCredential, 'metadata'>): string {
  const value = metadata[field];
  return typeof value === 'string' ? value : '';
}

export const toMetadata = (configId: string): Record<string, unknown> =>
  configId.trim() === '' ? {} : { [field]: configId.trim() };
