/** What an answer costs by the price lists in the package `@pydantic/genai-prices`. Nothing is fetched. */
import { calcPrice } from '@pydantic/genai-prices';
import type { LanguageModelUsage } from 'ai';
import type { Provider } from '../../../protocol/resources/index.ts';

export const priceLists: Readonly<Record<Provider, string>> = {
  llm_provider_1: 'openai',
  llm_provider_2: 'anthropic',
  llm_provider_3: 'google',
};

/** Whole millionths of a dollar. Null if the list does not have the model, or the provider has not reported the usage. */
export function costMicros(
  provider: Provider,
  model: string,
  usage: LanguageModelUsage,
  now: number,
): number | null {
  const { inputTokens, outputTokens, inputTokenDetails: cached } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return null;
  try {
    const price = calcPrice(
      {
        // Including cached tokens, as the library counts them too.
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        cache_read_tokens: cached.cacheReadTokens,
        cache_write_tokens: cached.cacheWriteTokens,
      },
      model,
      { providerId: priceLists[provider], timestamp: new Date(now) },
    );
    return price === null ? null : Math.round(price.total_price * 1e6);
  } catch {
    // The figures contradict each other, such as more cached tokens than tokens in all.
    return null;
  }
}
