/** The phone numbers of a business account. */
import { getNextCursor, type Graph, type GraphCredentials, readList, readText } from './graph.ts';

/**
 * All of them, as the provider shows them. Rejects with `GraphError`.
 *
 * @param fields what it shows of each, beside the id
 */
export async function listNumbers(
  graph: Graph,
  as: GraphCredentials,
  wabaId: string,
  fields: string,
  signal: AbortSignal,
): Promise<unknown[]> {
  const path = `${encodeURIComponent(wabaId)}/phone_numbers`;
  const found: unknown[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const query = { fields: `id,${fields}`, limit: '100', ...(after === '' ? {} : { after }) };
    const page = await graph.call({ path, as, query }, signal);
    found.push(...readList(page, 'data').filter(each => readText(each, 'id') !== ''));
    after = getNextCursor(page);
  }
  return found;
}
