/** A list whose first page was read again: what is new comes above, what is gone goes, and what its reader has loaded below it stays. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Page } from '../../sdk/index.ts';

export type Pages<T> = InfiniteData<Page<T>, string | undefined>;

export function renewPages<T>(before: Pages<T>, fresh: Page<T>, toKey: (row: T) => string): Pages<T> {
  const { pages, pageParams } = before;
  const single: Pages<T> = { pages: [fresh], pageParams: [undefined] };
  const [, ...others] = pages;
  if (others.length === 0 || !fresh.hasMore) return single;
  // Pages of a filtered list may be empty where there is more.
  if (fresh.data.length === 0) return { pages: [fresh, ...others], pageParams };
  const keys = new Set(fresh.data.map(toKey));
  const known = pages.flatMap(({ data }) => data);
  // Rows keep their order: what is below the last one that both have is not on the first page.
  const below = known.findLastIndex(row => keys.has(toKey(row))) + 1;
  // More has come than a page holds: whatever is between it and the rows that are known has to be loaded.
  if (below === 0) return single;
  let start = 0;
  const left = pages.map(page => {
    const data = page.data.slice(Math.max(0, below - start));
    start += page.data.length;
    return { ...page, data };
  });
  return {
    pages: left.map((page, index) => (index === 0 ? { ...page, data: [...fresh.data, ...page.data] } : page)),
    pageParams,
  };
}
