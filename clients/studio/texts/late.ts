/**
 * Texts of pages that are loaded later than the first one, and come with them. By then the page has its language: TextsProvider shows nothing
 * before.
 */
export async function chooseLate<T>(english: T, loadGerman: () => Promise<T>): Promise<T> {
  if (!document.documentElement.lang.startsWith('de')) return english;
  // A language that cannot be loaded is no reason to show nothing.
  return loadGerman().catch(() => english);
}
