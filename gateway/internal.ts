/** What operators ask a node of a cluster: `GET /_internal/cluster`, with a service token. Not part of the contract. */
import { ServiceError } from '../protocol/errors.ts';
import type { ServiceTokens } from './auth/service-tokens.ts';
import type { Company } from './company.ts';
import type { HttpServer } from './http/server.ts';

/** Served as long as the process is, also by a node that waits for its cluster. 404: the node is alone. */
export function serveInternal(
  server: HttpServer,
  tokens: ServiceTokens,
  company: Pick<Company, 'describe'>,
): void {
  server.route(
    'GET',
    '/_internal/cluster',
    request => {
      tokens.verify(request.header('authorization'));
      const cluster = company.describe();
      if (cluster === undefined) throw new ServiceError('svc/runtime/not_found');
      return { status: 200, body: JSON.stringify(cluster) };
    },
    { always: true },
  );
}
