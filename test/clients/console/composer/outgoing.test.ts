/** What a browser has kept of an outbox, whatever has become of it: whole items are read, and each of the others is told of. */
import t from 'tap';
import {
  parseKept,
  type Outgoing,
  type OutgoingContent,
} from '../../../../clients/console/composer/outgoing.ts';
import fc from '../../../support/fuzz.ts';

const text = fc.string();
const content: fc.Arbitrary<OutgoingContent> = fc.oneof(
  fc.record({
    kind: fc.constant('message' as const),
    body: text,
    attachments: fc.array(
      fc.record(
        {
          kind: fc.constantFrom('image', 'audio', 'video', 'document', 'sticker'),
          attachmentId: text,
          filename: text,
        },
        { requiredKeys: ['kind', 'attachmentId'] },
      ),
      { maxLength: 3 },
    ),
    replyTo: fc.option(text, { nil: undefined }),
  }),
  fc.record(
    { kind: fc.constant('note' as const), body: text, mentions: fc.array(text, { maxLength: 3 }) },
    { requiredKeys: ['kind', 'body'] },
  ),
  fc.record({
    kind: fc.constant('template' as const),
    channelId: text,
    name: text,
    language: text,
    components: fc.array(fc.dictionary(text, fc.jsonValue()), { maxLength: 2 }),
    body: text,
  }),
);
const item: fc.Arbitrary<Outgoing> = fc.record(
  {
    key: fc.uuid(),
    first: fc.record({ key: text, at: fc.nat() }),
    afterSequence: fc.nat(),
    threadId: text,
    content,
    queuedAt: fc.nat(),
    state: fc.constantFrom('waiting', 'sending', 'refused'),
    problem: text,
  },
  { requiredKeys: ['key', 'threadId', 'content', 'queuedAt', 'state'] },
);

/** Every place of a value, as the names that lead there. */
function listPlaces(value: unknown, place: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  return [place, ...Object.entries(value).flatMap(([name, inner]) => listPlaces(inner, [...place, name]))];
}

function replaceAt(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = replaceAt(copy[name], rest, by);
  return copy;
}

const asRead = (kept: Outgoing): unknown =>
  JSON.parse(JSON.stringify(kept.state === 'sending' ? { ...kept, state: 'waiting' } : kept));
const unique = fc.uniqueArray(item, { maxLength: 4, selector: ({ key }) => key });

t.test('what is whole is read as it was kept; what was on its way waits', async t => {
  fc.assert(
    fc.property(unique, kept => {
      const { items, damaged } = parseKept(JSON.stringify(kept));
      return JSON.stringify(items) === JSON.stringify(kept.map(asRead)) && damaged.length === 0;
    }),
  );
  t.strictSame(parseKept(null), { items: [], damaged: [] });
});

/** No field of an item may be any of these; but those of a template's components may be anything. */
const rubbish = fc.constantFrom<unknown>(null, true, [[]], { a: 1 }, -1.5);
const isFree = (place: readonly string[]): boolean => place[1] === 'components' && place.length > 3;
const isValidAt = (place: readonly string[], by: unknown): boolean =>
  isFree(place) ||
  (['queuedAt', 'afterSequence', 'at'].includes(place.at(-1) ?? '') && typeof by === 'number') ||
  (place[1] === 'components' &&
    place.length === 3 &&
    typeof by === 'object' &&
    by !== null &&
    !Array.isArray(by));

t.test('one that is damaged anywhere is left out, with its text, and no other is', async () => {
  fc.assert(
    fc.property(unique, item, fc.nat(), rubbish, fc.nat(4), (others, victim, choice, by, at) => {
      const places = listPlaces(victim).filter(place => !isValidAt(place, by));
      const place = places[choice % places.length] ?? [];
      const kept: unknown[] = [...others];
      const index = Math.min(at, kept.length);
      kept.splice(index, 0, replaceAt(victim, place, by));
      const { items, damaged } = parseKept(JSON.stringify(kept));
      const hasText =
        place.length > 1 ? place[1] !== 'body' : place[0] !== undefined && place[0] !== 'content';
      return (
        JSON.stringify(items) === JSON.stringify(others.map(asRead)) &&
        damaged.length === 1 &&
        damaged[0] === (hasText ? JSON.parse(JSON.stringify(victim.content.body)) : '')
      );
    }),
  );
});

t.test('whatever else is kept there is no outbox, and throws nothing', async t => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), text), kept => {
      const { items, damaged } = parseKept(kept);
      return items.length === 0 && (kept.trim() === '[]' || damaged.length > 0);
    }),
  );
  t.strictSame(parseKept('[{"key":'), { items: [], damaged: [''] });
});

t.test('an item under the key of another is damaged', async t => {
  const note = (body: string): Outgoing => ({
    key: 'one',
    threadId: 'thread_1',
    content: { kind: 'note', body },
    queuedAt: 1,
    state: 'waiting',
  });
  const { items, damaged } = parseKept(JSON.stringify([note('first'), note('second')]));
  t.match(items, [{ content: { body: 'first' } }]);
  t.strictSame(damaged, ['second']);
});
