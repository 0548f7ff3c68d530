/** What the guard will say when it comes to sending (decisions, section 6), said while somebody listens. */
import { invalid } from '../../../protocol/errors.ts';
import type { EnvironmentKind } from '../../../protocol/resources/environment.ts';
import { refusalOf, type Reach } from '../../../runtime/pool/address-guard.ts';

/** A check of the addresses in one field, by its path: 422 for one that would be refused. */
export function outboundAddress(reach: Reach, path: string) {
  return (address: string, kind: EnvironmentKind): void => {
    const url = URL.parse(address);
    const refusal =
      url === null ? 'must be an address' : refusalOf(url, { reach, httpsOnly: kind === 'production' });
    if (refusal !== undefined) throw invalid([{ path, message: refusal, code: 'address' }]);
  };
}
