/** Where models are asked, by provider: the base of its interface, as the model library wants it, without a slash at its end. */
import type { Provider } from '../../../protocol/resources/byok.ts';

export type ModelUrls = Readonly<Record<Provider, string>>;

/** The providers' own. */
export const defaultModelUrls = {
  llm_provider_1: 'https://api.openai.com/v1',
  llm_provider_2: 'https://api.anthropic.com/v1',
  llm_provider_3: 'https://generativelanguage.googleapis.com/v1beta',
} as const satisfies ModelUrls;
