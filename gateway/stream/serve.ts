/** The Console stream of a node: its events come from the commits of all nodes, its ephemeral events by the transport. */
import { operations } from '../../protocol/operations/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type CommitNotifier, eventPage, streamHeads } from '../../storage/events/index.ts';
import { findEnvironmentHead, findViewer } from '../../storage/reads/index.ts';
import { findRevokedCredentials } from '../../storage/tenancy/index.ts';
import type { HttpServer } from '../http/index.ts';
import { admit, type AdmitOptions } from './admit.ts';
import { ConsoleStream } from './endpoint.ts';
import { subscribeEphemeral } from './ephemeral-events.ts';

export interface StreamOptions extends Omit<AdmitOptions, 'findRevokedCredentials'> {
  readonly server: HttpServer;
  readonly database: Pick<Database, 'query' | 'timeline'>;
  readonly notifier: CommitNotifier;
  readonly transport: Pick<Transport, 'publish' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly docsUrl: string;
}

/** Registers the stream's endpoint on the server, and listens to commits. */
export function serveConsoleStream(options: StreamOptions): ConsoleStream {
  const { server, database, notifier, transport, clock, log, docsUrl } = options;
  const admitOptions: AdmitOptions = {
    ...options,
    findRevokedCredentials: (asked, now) => findRevokedCredentials(database, asked, now),
  };
  const follow = (projectId: string): (() => void) => {
    const ends = [
      notifier.follow(projectId),
      subscribeEphemeral(transport, projectId, event => stream.ephemeral(event)),
    ];
    return () => ends.forEach(end => end());
  };
  const stream: ConsoleStream = new ConsoleStream({
    admit: request => admit(admitOptions, request),
    events: { heads: ids => streamHeads(database, ids), page: span => eventPage(database, span) },
    publish: (topic, frame) => server.publish(topic, frame),
    follow,
    findRevokedCredentials: admitOptions.findRevokedCredentials,
    findViewer: of => findViewer(database, of),
    hasEnvironment: async (projectId, environmentId) =>
      (await findEnvironmentHead(database, environmentId))?.projectId === projectId,
    transport,
    clock,
    log,
    docsUrl,
  });
  server.websocket(`/v1${operations.openStream.path}`, stream);
  notifier.addListener(stream.context.hub);
  database.timeline.onChange(() => stream.context.hub.reset());
  return stream;
}
