/** The price table. */
export const prices = {
  title: 'Prices',
  about:
    'Runs are priced and budgets checked by this list, in US dollars per million tokens. It comes with the server and is the same for all projects. What your provider bills may differ.',
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
    'Not on the list: its runs have no cost, and no budget stops it. Exclude it with the list of models of your provider key, or choose another.',
  asOf: 'As of',
  source: 'Source',
  none: 'No model is in use yet',
  noneHint:
    'Create instructions with a model, and its prices appear here. “All” shows every model on the list.',
  noneFound: 'No such model is on the list.',
};

export type PriceTexts = typeof prices;
