/** The named texts of a page's search parameters; anything else in them is left out. */
export function readSearch<K extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly K[],
): { readonly [name in K]?: string } {
  const found = names.flatMap(name => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found) as { readonly [name in K]?: string };
}
