/** Where models are asked: the base URL of each provider's API, as the model library wants it, without a slash at the end. */
import type { Provider } from '../../../protocol/resources/index.ts';

export type ModelUrls = Readonly<Record<Provider, string>>;

/** The providers' own addresses. */
export const defaultModelUrls = {
  llm_provider_1: 'https://api.openai.com/v1',
  llm_provider_2: 'https://api.anthropic.com/v1',
  llm_provider_3: 'https://generativelanguage.googleapis.com/v1beta',
} as const satisfies ModelUrls;
