/** What an answer costs by the price lists of `@pydantic/genai-prices`, which come with the package: nothing is fetched. */
import { calcPrice } from '@pydantic/genai-prices';
import type { LanguageModelUsage } from 'ai';
import type { Provider } from '../../../protocol/resources/byok.ts';

const listOf: Readonly<Record<Provider, string>> = {
  llm_provider_1: 'openai',
  llm_provider_2: 'anthropic',
  llm_provider_3: 'google',
};

/** Millionths of a dollar, whole; null where the list does not have the model, or the provider has not said what was used. */
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
        // With those of the cache in it, as the library counts them too.
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        cache_read_tokens: cached.cacheReadTokens,
        cache_write_tokens: cached.cacheWriteTokens,
      },
      model,
      { providerId: listOf[provider], timestamp: new Date(now) },
    );
    return price === null ? null : Math.round(price.total_price * 1e6);
  } catch {
    // Figures that contradict each other, such as more from the cache than in all.
    return null;
  }
}
