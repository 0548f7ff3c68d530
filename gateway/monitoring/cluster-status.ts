/** `GET /_internal/cluster`, for operators with a service token. Not part of the public contract. */
import { ServiceError } from '../../protocol/errors.ts';
import type { ServiceTokens } from '../auth/index.ts';
import type { HttpServer } from '../http/index.ts';

/** Also served by a node that waits for its cluster. 404: the node is not part of a cluster. */
export function serveClusterStatus(
  server: HttpServer,
  tokens: ServiceTokens,
  cluster: { describe(): object | undefined },
): void {
  server.route(
    'GET',
    '/_internal/cluster',
    request => {
      tokens.verify(request.header('authorization'));
      const status = cluster.describe();
      if (status === undefined) throw new ServiceError('svc/runtime/not_found');
      return { status: 200, body: JSON.stringify(status) };
    },
    { always: true },
  );
}
