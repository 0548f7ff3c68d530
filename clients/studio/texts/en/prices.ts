/** The price table. */
export const prices = {
  title: 'Prices',
  about:
    'By these prices runs are priced and budgets are held, in US dollars for a million tokens. The list comes with the server, and is the same for all projects: what your provider bills may differ.',
  which: 'Which models',
  of: { used: 'In use', all: 'All' },
  model: 'Model',
  provider: 'Provider',
  anyProvider: 'Any provider',
  input: 'Input',
  output: 'Output',
  cacheRead: 'Input from the cache',
  cacheWrite: 'Input into the cache',
  long: (price: string, tokens: string) => `${price} beyond ${tokens} tokens`,
  unknown:
    'Not on the list: its runs have no cost, and it never uses up a budget. Keep it out by the list of models of your key, or choose another.',
  asOf: 'As of',
  source: 'Source',
  none: 'No model is in use yet',
  noneHint: 'Make instructions with a model: its prices appear here. “All” shows what models cost.',
  noneFound: 'No such model is on the list.',
};

export type PriceTexts = typeof prices;
