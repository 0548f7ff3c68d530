import fc from '../support/fuzz.ts';
import t from 'tap';
import {
  formatEvent,
  eventTypes,
  isKnownPattern,
  matchesEventNames,
  listPatterns,
  type EventName,
  type EventType,
} from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import { EventEnvelope } from '../../protocol/resources/event.ts';
import { compile } from '../../protocol/validate.ts';
import { apiVersion } from '../../protocol/version.ts';

const rows = Object.entries<EventType>(eventTypes);
const names = Object.keys(eventTypes) as EventName[];
const ephemeral = rows.filter(([, type]) => type.ephemeral).map(([name]) => name);

t.test('every name has the specified form, a description and a schema that compiles', async t => {
  for (const [name, type] of rows) {
    t.match(name, /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/);
    t.match(type.description, /\.$/, name);
    const issues = compile(type.data)({}, '/data') ?? [];
    t.ok(
      issues.some(issue => issue.path === '/data/environmentId' && issue.code === 'required'),
      `${name}: data has the environment`,
    );
  }
});

t.test('a filter selects by name and by pattern, an empty one everything', async t => {
  const received = 'thread.message.received';
  t.ok(matchesEventNames([], received));
  t.ok(matchesEventNames([received], received));
  t.ok(matchesEventNames(['channel.message.sent', 'thread.message.*'], received));
  t.ok(matchesEventNames(['thread.*'], received));
  t.notOk(matchesEventNames(['thread.message.created'], received));
  t.notOk(matchesEventNames(['thread.status.*'], received));
  t.notOk(matchesEventNames(['channel.*'], received));
  t.notOk(matchesEventNames(['thread'], received));
  t.notOk(matchesEventNames(['*'], received));
  t.notOk(matchesEventNames(['thread.mess*'], received));
});

t.test('patterns select exactly what begins with their segments', async () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom(...names), (name, other) =>
      listPatterns(other).every(pattern => {
        const begins = pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
        return matchesEventNames([pattern], name) === begins;
      }),
    ),
  );
});

t.test('a stitch may ask for what can be delivered', async t => {
  for (const name of names) t.equal(isKnownPattern(name), !ephemeral.includes(name), name);
  for (const pattern of ['thread.*', 'thread.message.*', 'workspace.invitation.*', 'tool.*']) {
    t.ok(isKnownPattern(pattern), pattern);
  }
  for (const pattern of [
    '*',
    '',
    'thread',
    'thread.',
    'thread.typing.*',
    'agent.output.*',
    'unknown.*',
    'thread.*.*',
  ]) {
    t.notOk(isKnownPattern(pattern), `"${pattern}"`);
  }
});

t.test('formatEvent is the envelope, in order, around the data as it was given', async () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.dictionary(fc.string(), fc.jsonValue()), (eventName, value) => {
      const data = JSON.stringify(value, undefined, 1);
      const parts = {
        eventId: newId('event'),
        eventName,
        occurredAt: new Date(1_700_000_000_000).toISOString(),
        projectId: newId('project'),
        data,
      };
      const text = formatEvent(parts);
      const event: unknown = JSON.parse(text);
      const { eventId, occurredAt, projectId } = parts;
      return (
        text.endsWith(`"data":${data}}`) &&
        JSON.stringify(event) ===
          JSON.stringify({ eventId, eventName, occurredAt, apiVersion, projectId, data: JSON.parse(data) }) &&
        // Deep or odd values are the concern of the request that brought them.
        (compile(EventEnvelope)(event, '') ?? []).every(issue => issue.path.startsWith('/data'))
      );
    }),
  );
});
