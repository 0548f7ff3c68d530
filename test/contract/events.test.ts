/**
 * Who sees which events: for every name of the catalogue and everybody who may read the log or follow the stream, the event is seen if and
 * only if the operation that reads its resource answers them 200.
 */
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { type EventName, eventTypes, type EventType } from '../../protocol/events.ts';
import { type Scope, scopes } from '../../protocol/operation.ts';
import type { OperationId } from '../../protocol/operations/table.ts';
import { appendEvents } from '../../storage/events/append-events.ts';
import { type StreamHead, streamHeads } from '../../storage/events/event-log.ts';
import type { Asked, Client } from '../node/client.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';
import { roles, startContractFixture } from './contract-fixture.ts';
import { scenarios } from './scenarios/all.ts';

const fixture = await startContractFixture(t);
const { sandbox, inRole } = fixture;
const { projectId, environmentId } = sandbox;

// What everybody on the stream sees comes last, so that nobody waits for a ping.
const isSeenByAll = (name: string): number => Number(name === 'thread.message.received');
const stored = Object.entries<EventType>(eventTypes)
  .flatMap(([name, { ephemeral }]) => (ephemeral ? [] : [name as EventName]))
  .sort((a, b) => isSeenByAll(a) - isSeenByAll(b));
const readings = [...new Set(stored.map(name => eventTypes[name].readBy))];
const requests = new Map<OperationId, Asked>();
for (const id of readings) requests.set(id, await scenarios[id].request(sandbox));

const findHead = async (): Promise<StreamHead> => {
  const [head] = await streamHeads(fixture.database, [projectId]);
  if (head === undefined) throw new Error('the project has a stream');
  return head;
};
const { epoch, seq: before } = await findHead();
await fixture.database.em().transactional(em =>
  appendEvents(
    em,
    stored.map(eventName => ({ projectId, environmentId, eventName, data: { body: 'secret' } })),
  ),
);
const { seq: through } = await findHead();
const rows = await fixture.database.query<{ eventId: string; eventName: EventName }>(
  `select event_id as "eventId", event_name as "eventName" from events where project_id = $1 and seq > $2 and seq <= $3 order by seq`,
  [projectId, before, through],
);

/** The names whose resources the caller may read at this moment. */
async function listReadable(by: Client): Promise<EventName[]> {
  const statuses = new Map<OperationId, number>();
  for (const id of readings) statuses.set(id, (await ask(by, id, requests.get(id) ?? {})).status);
  return stored.filter(name => statuses.get(eventTypes[name].readBy) === 200);
}

interface Named {
  readonly eventId: string;
  readonly eventName: EventName;
  readonly seq?: number;
}
const ids = new Set(rows.map(({ eventId }) => eventId));
const toNames = (events: readonly Named[]): EventName[] =>
  events.filter(({ eventId }) => ids.has(eventId)).map(({ eventName }) => eventName);

async function tryLog(t: Test, by: Client, readable: readonly EventName[]): Promise<void> {
  const listed = await by.all<Named>('listEvents', { query: { projectId, limit: 7 } });
  t.same(toNames(listed).reverse(), readable, 'the log');
  for (const { eventId, eventName } of rows) {
    const { status } = await ask(by, 'getEvent', { params: { eventId } });
    if (status !== (readable.includes(eventName) ? 200 : 404)) t.fail(`${eventName}: ${status}`);
  }
}

/** What a socket is sent of them. */
async function follow(by: Client): Promise<Named[]> {
  const stream = new WebSocket(
    `${by.line.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`,
    { headers: { authorization: `Bearer ${by.bearer}` } },
  );
  const events: Named[] = [];
  stream.on('open', () => stream.send(JSON.stringify({ type: 'resume', epoch, seq: before })));
  let head = 0;
  stream.on('message', data => {
    const frame = JSON.parse(String(data as Buffer)) as { type: string; seq?: number; event?: Named };
    if (frame.type === 'event' && frame.event !== undefined) events.push(frame.event);
    head = Math.max(head, frame.seq ?? 0);
  });
  await eventually('the last event', async () => head >= through);
  stream.terminate();
  return events;
}

async function tryStream(t: Test, by: Client, readable: readonly EventName[]): Promise<void> {
  const polled = await by.all<Named>('listStreamEvents', {
    params: { projectId },
    query: { afterSeq: before, limit: 7 },
  });
  t.same(toNames(polled), readable, 'the list of the stream');
  t.same(toNames(await follow(by)), readable, 'the stream, on resuming');
}

async function tryCaller(t: Test, by: Client): Promise<void> {
  const readable = await listReadable(by);
  const [log, stream] = [
    await ask(by, 'listEvents', { query: { projectId } }),
    await ask(by, 'listStreamEvents', { params: { projectId } }),
  ];
  t.not(log.status === 200 || stream.status === 200, false, 'it may read events');
  if (log.status === 200) await tryLog(t, by, readable);
  if (stream.status === 200) await tryStream(t, by, readable);
}

for (const role of roles) t.test(role, async t => tryCaller(t, await inRole(role)));

const single = scopes.filter(scope => scope !== '*');
const sets: Scope[][] = [
  ['*'],
  single,
  ['webhooks:read'],
  ...single.map((scope): Scope[] => ['webhooks:read', scope]),
  ['threads:read', 'messages:read'],
  ...single.map((scope): Scope[] => ['threads:read', 'messages:read', scope]),
];
for (const set of sets) {
  t.test(`a key with ${set.join()}`, async t => tryCaller(t, await fixture.createKey(sandbox, set)));
}

t.test('the node', t => fixture.assertHealthy(t));
