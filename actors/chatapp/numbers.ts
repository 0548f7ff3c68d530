/** The phone numbers of a business account. */
import { getNextCursor, type Graph, type GraphCredentials, readList, readText } from './graph.ts';

/** The provider slows these down or warns of them, and they are registered all the same. */
const registeredStatuses: ReadonlySet<string> = new Set([
  'CONNECTED',
  'FLAGGED',
  'RATE_LIMITED',
  'RESTRICTED',
]);

/** Whether a number, as the provider shows it, is registered: with `status` and `platform_type`. */
export function isRegistered(number: unknown): boolean {
  return (
    registeredStatuses.has(readText(number, 'status')) && readText(number, 'platform_type') === 'CLOUD_API'
  );
}

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
