/** Resources that two people may edit: their ETag in answers, and If-Match of changes (protocol/etag.ts). */
import { createEtag } from '../../protocol/etag.ts';
import type { Answer, Call } from '../pipeline/index.ts';

/** The answer that shows the resource. */
export function tagged(resource: object): Answer {
  return { body: resource, headers: { ETag: createEtag(resource) } };
}

/** For the change: refused with 412 where the resource is another one by then. */
export function readCondition(call: Pick<Call, 'header'>): { readonly ifMatch?: string } {
  const ifMatch = call.header('if-match');
  return ifMatch === '' ? {} : { ifMatch };
}
