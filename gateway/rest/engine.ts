/** From the operation table to routes of the HTTP server. */
import type { Operation } from '../../protocol/operation.ts';
import type { HttpServer } from '../http/server.ts';
import type { Handler, Handlers, OperationTable } from './handler.ts';
import { OperationRoute, type Services } from './route.ts';

/**
 * Serves every row of the table but websockets, under /v1; rows with `root` at the root of the server as well. A row without
 * a handler does not compile.
 */
export function serveOperations<Table extends OperationTable>(
  server: HttpServer,
  table: Table,
  handlers: Handlers<Table>,
  services: Services,
): void {
  const byId = handlers as Readonly<Record<string, Handler | undefined>>;
  for (const [id, operation] of Object.entries(table)) {
    if (operation.auth === 'stream') continue;
    const handler = byId[id];
    if (handler === undefined) throw new Error(`the operation ${id} has no handler`);
    const route = new OperationRoute(id, operation, handler, services);
    for (const path of pathsOf(operation)) {
      server.route(operation.method, path, request => route.serve(request), {
        readsBody: operation.body !== undefined,
        answersRefused: true,
      });
    }
  }
}

function pathsOf(operation: Operation): string[] {
  const versioned = `/v1${operation.path}`;
  return operation.root === true ? [versioned, operation.path] : [versioned];
}
