/**
 * Skein's stream as a node runs it: gateway/http, endpoint, hub, sessions and sweep. Events are handed to the hub as the
 * store's news does; the log and the credentials are in memory, since neither is touched while sockets are live.
 */
import { HttpServer } from '../../../gateway/http/server.ts';
import { getEventView } from '../../../gateway/pipeline/event-view.ts';
import type { Admission } from '../../../gateway/stream/admission.ts';
import { ConsoleStream } from '../../../gateway/stream/endpoint.ts';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { LocalTransport } from '../../../runtime/transport/local.ts';
import { envelope, obey, projectId } from '../protocol.ts';

const docsUrl = 'http://127.0.0.1';
const server = new HttpServer({ log: silentLog, docsUrl });
let head = 0;

/** An id as the database gives it: a new one is still the pieces it was made of, 1 KiB until something needs it whole. */
const stored = (id: string): string => Buffer.from(id).toString();

const admission = (): Admission => ({
  projectId,
  environmentId: undefined,
  view: getEventView({ type: 'service', name: 'bench' }, {}),
  roles: undefined,
  userId: stored(newId('user')),
  apiKeyId: undefined,
  sessionId: stored(newId('session')),
  expiresAt: Date.now() + 900_000,
});

const stream = new ConsoleStream({
  admit: () => Promise.resolve(admission()),
  events: {
    heads: ids => Promise.resolve(ids.map(id => ({ projectId: id, epoch: 'bench', seq: head }))),
    page: () => Promise.resolve([]),
  },
  publish: (topic, frame) => server.publish(topic, frame),
  findRevokedCredentials: () => Promise.resolve(new Set<string>()),
  findViewer: () => Promise.resolve(undefined),
  hasEnvironment: () => Promise.resolve(true),
  transport: new LocalTransport({ clock: systemClock, log: silentLog }),
  clock: systemClock,
  log: silentLog,
  docsUrl,
});
server.websocket('/v1/console/projects/{projectId}/events/stream', stream);

obey(await server.listen('127.0.0.1', 0), seq => {
  head = seq;
  stream.context.hub.onEvents([
    { projectId, seq, eventName: 'thread.message.received', body: envelope(seq) },
  ]);
});
