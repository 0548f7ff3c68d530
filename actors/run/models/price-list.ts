/** The price list by which runs are priced (prices.ts), as it can be read. Nothing is fetched: it comes with the package. */
import { calcPrice, findProvider, type ModelPrice as ListedPrice } from '@pydantic/genai-prices';
import { type ModelPrice, type Provider, providers } from '../../../protocol/resources/index.ts';
import { priceLists } from './prices.ts';

/** When the version of the package that is in package.json came out (price-list.test.ts). */
export const priceListDate = '2026-09-23';

/** What a model costs at that time (epoch milliseconds); prices are null where the list does not have it. */
export function findPrice(provider: Provider, model: string, now: number): ModelPrice {
  // What it would cost does not matter: an answer tells the entry of the list, and its prices.
  const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, {
    providerId: priceLists[provider],
    timestamp: new Date(now),
  });
  return toModelPrice(provider, model, found?.model_price);
}

const dayMs = 86_400_000;
/** Of the day (UTC) that was asked for last: it is the same for all, and takes some milliseconds to make. */
let kept: { readonly day: number; readonly prices: readonly ModelPrice[] } | undefined;

/** All models of the list with a price for texts, by provider and name. Prices of these providers change at midnight (UTC). */
export function listPrices(now: number): readonly ModelPrice[] {
  const day = Math.floor(now / dayMs);
  if (kept?.day !== day) kept = { day, prices: makeList(now) };
  return kept.prices;
}

function makeList(now: number): readonly ModelPrice[] {
  return providers.flatMap(provider => {
    const list = findProvider({ providerId: priceLists[provider] });
    if (list === undefined) return [];
    return list.models
      .map(listed => {
        // By itself: the list may have another entry that is meant by its name.
        const onlyListed = { ...list, models: [{ ...listed, match: { equals: listed.id } }] };
        const options = { provider: onlyListed, timestamp: new Date(now) };
        const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, listed.id, options);
        return toModelPrice(provider, listed.id, found?.model_price);
      })
      .filter(({ inputMicros }) => inputMicros !== null)
      .sort((one, other) => (one.model < other.model ? -1 : 1));
  });
}

function toModelPrice(provider: Provider, model: string, price: ListedPrice | undefined): ModelPrice {
  const source = findProvider({ providerId: priceLists[provider] })?.pricing_urls?.[0] ?? null;
  const [input, output] = [toMicros(price?.['input_mtok']), toMicros(price?.['output_mtok'])];
  return {
    provider,
    model,
    inputMicros: input,
    outputMicros: output,
    cacheReadMicros: toMicros(price?.['cache_read_mtok']),
    cacheWriteMicros: toMicros(price?.['cache_write_mtok']),
    longFromTokens: findTier(price?.['input_mtok'])?.start ?? null,
    longInputMicros: toMicros(findTier(price?.['input_mtok'])?.price),
    longOutputMicros: toMicros(findTier(price?.['output_mtok'])?.price),
    asOf: priceListDate,
    source,
  };
}

type Listed = ListedPrice[string];

/** Dollars for a million tokens, of which those of long requests may cost more. */
function toMicros(price: Listed): number | null {
  if (price === undefined) return null;
  return Math.round((typeof price === 'number' ? price : price.base) * 1e6);
}

/** The first tier above the base. */
const findTier = (price: Listed): { readonly start: number; readonly price: number } | undefined =>
  typeof price === 'object' ? price.tiers[0] : undefined;
