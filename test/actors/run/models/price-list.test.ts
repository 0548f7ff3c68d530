/** The price list as it can be read says the same as runs are priced by. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { findPrice, listPrices, priceListDate } from '../../../../actors/run/models/price-list.ts';
import { costMicros } from '../../../../actors/run/models/prices.ts';
import { providers } from '../../../../protocol/resources/index.ts';

const now = Date.parse('2026-11-26T12:00:00Z');
const million = 1_000_000;

t.test('its day is that of the package', async t => {
  const path = new URL('../package.json', import.meta.resolve('@pydantic/genai-prices'));
  const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string };
  t.strictSame([version, priceListDate], ['0.1.8', '2026-09-23'], 'with another version, look up its day');
});

t.test('each model once, by provider and name, with a price', async t => {
  const all = listPrices(now);
  t.ok(all.length > 100);
  t.strictSame([...new Set(all.map(({ provider }) => provider))], [...providers]);
  const keys = all.map(({ provider, model }) => `${provider} ${model}`);
  t.strictSame(keys, [...new Set(keys)].sort());
  for (const { model, inputMicros, asOf, source } of all) {
    t.ok(Number.isInteger(inputMicros), model);
    t.equal(asOf, priceListDate);
    t.match(source, /^https:/);
  }
});

t.test('the list is made once a day', t => {
  const hourMs = 3_600_000;
  const today = listPrices(now);
  t.equal(listPrices(now + 11 * hourMs), today);
  const tomorrow = listPrices(now + 12 * hourMs);
  t.not(tomorrow, today);
  t.strictSame(listPrices(now), today);
  const before = listPrices(Date.parse('2026-03-12T23:59:59Z'));
  t.notSame(listPrices(Date.parse('2026-03-13T00:00:00Z')), before, 'a day on which prices changed');
  t.end();
});

t.test('a run costs what the list says', async t => {
  const cached = { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined };
  const usage = { inputTokens: 1_000, outputTokens: 500, totalTokens: 1_500, inputTokenDetails: cached };
  for (const [provider, model] of [
    ['llm_provider_1', 'gpt-4o-mini'],
    ['llm_provider_1', 'gpt-4o-mini-2024-07-18'],
    ['llm_provider_2', 'claude-sonnet-4-5'],
    ['llm_provider_3', 'gemini-2.5-pro'],
  ] as const) {
    const { inputMicros, outputMicros } = findPrice(provider, model, now);
    const expected = ((inputMicros ?? 0) * 1_000 + (outputMicros ?? 0) * 500) / million;
    t.ok(expected > 0, model);
    const cost = costMicros(provider, model, usage as Parameters<typeof costMicros>[2], now);
    t.equal(cost, Math.round(expected), model);
  }
  t.match(findPrice('llm_provider_2', 'claude-sonnet-4-5', now), {
    inputMicros: 3_000_000,
    longFromTokens: 200_000,
    longInputMicros: 6_000_000,
    longOutputMicros: 22_500_000,
  });
});

t.test('a model that is not on the list has no price', async t => {
  const unknown = findPrice('llm_provider_1', 'our-own-model', now);
  t.match(unknown, { model: 'our-own-model', inputMicros: null, outputMicros: null, cacheReadMicros: null });
});
