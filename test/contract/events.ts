/**
 * Checks who sees which events: every reader of the log or the stream sees an event if and only if the operation that reads its resource
 * answers that reader with 200.
 */
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { type EventName, eventTypes, type EventType } from '../../protocol/events.ts';
import { type Scope, scopes } from '../../protocol/operation.ts';
import type { OperationId } from '../../protocol/operations/table.ts';
import { appendEvents } from '../../storage/events/append-events.ts';
import { type StreamHead, streamHeads } from '../../storage/events/event-log.ts';
import type { Asked, Client } from '../node/client.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';
import { type ContractFixture, roles, startContractFixture } from './contract-fixture.ts';
import type { Level } from './level.ts';
import { scenarios } from './scenarios/all.ts';

interface Named {
  readonly eventId: string;
  readonly eventName: EventName;
}

// An event that all streams show comes last, so that no test waits for a ping.
const isSeenByAll = (name: string): number => Number(name === 'thread.message.received');
const stored = Object.entries<EventType>(eventTypes)
  .flatMap(([name, { ephemeral }]) => (ephemeral ? [] : [name as EventName]))
  .sort((a, b) => isSeenByAll(a) - isSeenByAll(b));
const readings = [...new Set(stored.map(name => eventTypes[name].readBy))];

const single = scopes.filter(scope => scope !== '*');
/** Scopes of keys. */
const sets: Readonly<Record<Level, readonly (readonly Scope[])[]>> = {
  quick: [['*'], ['webhooks:read'], ['threads:read', 'messages:read']],
  full: [
    single,
    ...single.map((scope): Scope[] => ['webhooks:read', scope]),
    ...single.map((scope): Scope[] => ['threads:read', 'messages:read', scope]),
  ],
};

async function findHead({ database, sandbox }: ContractFixture): Promise<StreamHead> {
  const [head] = await streamHeads(database, [sandbox.projectId]);
  if (head === undefined) throw new Error('the project has no stream');
  return head;
}

/** The log of a project with one event of each name. */
class EventLog {
  readonly #fixture: ContractFixture;
  /** Requests that read the resources of the events. */
  readonly #requests: ReadonlyMap<OperationId, Asked>;
  /** The place before the first event. */
  readonly #before: StreamHead;
  readonly #through: number;
  readonly #rows: readonly Named[];

  private constructor(
    fixture: ContractFixture,
    requests: ReadonlyMap<OperationId, Asked>,
    [before, through]: readonly [StreamHead, number],
    rows: readonly Named[],
  ) {
    this.#fixture = fixture;
    this.#requests = requests;
    this.#before = before;
    this.#through = through;
    this.#rows = rows;
  }

  static async write(fixture: ContractFixture): Promise<EventLog> {
    const { projectId, environmentId } = fixture.sandbox;
    const requests = new Map<OperationId, Asked>();
    for (const id of readings) requests.set(id, await scenarios[id].request(fixture.sandbox));
    const before = await findHead(fixture);
    await fixture.database.em().transactional(em =>
      appendEvents(
        em,
        stored.map(eventName => ({ projectId, environmentId, eventName, data: { body: 'secret' } })),
      ),
    );
    const { seq: through } = await findHead(fixture);
    const rows = await fixture.database.query<Named>(
      `select event_id as "eventId", event_name as "eventName" from events
       where project_id = $1 and seq > $2 and seq <= $3 order by seq`,
      [projectId, before.seq, through],
    );
    return new EventLog(fixture, requests, [before, through], rows);
  }

  async tryCaller(t: Test, by: Client): Promise<void> {
    const { projectId } = this.#fixture.sandbox;
    const readable = await this.#listReadable(by);
    const log = await ask(by, 'listEvents', { query: { projectId } });
    const stream = await ask(by, 'listStreamEvents', { params: { projectId } });
    t.ok(log.status === 200 || stream.status === 200, 'it may read events');
    if (log.status === 200) await this.#tryLog(t, by, readable);
    if (stream.status === 200) await this.#tryStream(t, by, readable);
  }

  /** Returns the names whose resources the caller may read. */
  async #listReadable(by: Client): Promise<EventName[]> {
    const statuses = new Map<OperationId, number>();
    for (const [id, asked] of this.#requests) statuses.set(id, (await ask(by, id, asked)).status);
    return stored.filter(name => statuses.get(eventTypes[name].readBy) === 200);
  }

  async #tryLog(t: Test, by: Client, readable: readonly EventName[]): Promise<void> {
    const { projectId } = this.#fixture.sandbox;
    const listed = await by.all<Named>('listEvents', { query: { projectId, limit: 7 } });
    t.same(this.#toNames(listed).reverse(), readable, 'the log');
    for (const { eventId, eventName } of this.#rows) {
      const { status } = await ask(by, 'getEvent', { params: { eventId } });
      if (status !== (readable.includes(eventName) ? 200 : 404)) t.fail(`${eventName}: ${status}`);
    }
  }

  async #tryStream(t: Test, by: Client, readable: readonly EventName[]): Promise<void> {
    const polled = await by.all<Named>('listStreamEvents', {
      params: { projectId: this.#fixture.sandbox.projectId },
      query: { afterSeq: this.#before.seq, limit: 7 },
    });
    t.same(this.#toNames(polled), readable, 'the list of the stream');
    t.same(this.#toNames(await this.#follow(by)), readable, 'the stream, after a resume');
  }

  #toNames(events: readonly Named[]): EventName[] {
    const ids = new Set(this.#rows.map(({ eventId }) => eventId));
    return events.filter(({ eventId }) => ids.has(eventId)).map(({ eventName }) => eventName);
  }

  /** Returns the events that a socket receives. */
  async #follow(by: Client): Promise<Named[]> {
    const { epoch, seq } = this.#before;
    const stream = new WebSocket(
      `${by.line.url.replace('http', 'ws')}/v1/console/projects/${this.#fixture.sandbox.projectId}/events/stream`,
      { headers: { authorization: `Bearer ${by.bearer}` } },
    );
    const events: Named[] = [];
    stream.on('open', () => stream.send(JSON.stringify({ type: 'resume', epoch, seq })));
    let head = 0;
    stream.on('message', data => {
      const frame = JSON.parse(String(data as Buffer)) as { type: string; seq?: number; event?: Named };
      if (frame.type === 'event' && frame.event !== undefined) events.push(frame.event);
      head = Math.max(head, frame.seq ?? 0);
    });
    await eventually('the last event', async () => head >= this.#through);
    stream.terminate();
    return events;
  }
}

export async function checkEvents(t: Test, level: Level): Promise<void> {
  const fixture = await startContractFixture(t);
  const log = await EventLog.write(fixture);
  for (const role of level === 'quick' ? roles : []) {
    await t.test(role, async t => log.tryCaller(t, await fixture.inRole(role)));
  }
  for (const set of sets[level]) {
    await t.test(`a key with ${set.join()}`, async t =>
      log.tryCaller(t, await fixture.createKey(fixture.sandbox, set)),
    );
  }
  await t.test('the node', t => fixture.assertHealthy(t));
}
