import fc from '../support/fuzz.ts';
import t from 'tap';
import {
  derivedId,
  idPattern,
  getIdTime,
  isId,
  newId,
  numberedId,
  prefixes,
  type Resource,
} from '../../protocol/ids.ts';

const resources = Object.keys(prefixes) as Resource[];
const aResource = fc.constantFrom(...resources);
const anInstant = fc.integer({ min: 0, max: 2 ** 48 - 1 });

/** The UUID inside an id, decoded by a way of its own: as one large number. */
function parseUuid(id: string): string {
  let value = 0n;
  for (const character of id.slice(-26)) {
    value = value * 32n + BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(character));
  }
  return value.toString(16).padStart(32, '0');
}

t.test('the prefixes are those of the contract', async t => {
  const specified = {
    event: 'evt',
    project: 'prj',
    user: 'usr',
    workspace: 'ws',
    environment: 'env',
    invitation: 'wsi',
    apiKey: 'key',
    partnerApp: 'map',
    thread: 'thread',
    channel: 'ch',
    message: 'msg',
    stitch: 'stitch',
    delivery: 'whd',
    byok: 'byok',
    tool: 'tool',
    loom: 'loom',
    loomVersion: 'lver',
    agent: 'agt',
    run: 'run',
    note: 'note',
    request: 'req',
  };
  t.match(prefixes, specified);
  t.equal(new Set(Object.values(prefixes)).size, resources.length, 'no two resources share one');
});

t.test('a new id is a UUIDv7 of its instant', async () => {
  fc.assert(
    fc.property(aResource, anInstant, (resource, ms) => {
      const id = newId(resource, ms);
      const uuid = parseUuid(id);
      return (
        isId(resource, id) &&
        new RegExp(idPattern(resource)).test(id) &&
        getIdTime(id) === ms &&
        parseInt(uuid.slice(0, 12), 16) === ms &&
        uuid.charAt(12) === '7' &&
        '89ab'.includes(uuid.charAt(16))
      );
    }),
  );
});

t.test('ids sort by their instant as text', async () => {
  fc.assert(
    fc.property(anInstant, anInstant, (a, b) => {
      fc.pre(a !== b);
      return newId('message', a) < newId('message', b) === a < b;
    }),
  );
});

t.test('all random bits vary', async t => {
  let ever = 0n;
  let always = (1n << 128n) - 1n;
  const seen = new Set<string>();
  for (let i = 0; i < 5_000; i++) {
    const id = newId('event', 0);
    seen.add(id);
    const value = BigInt(`0x${parseUuid(id)}`);
    ever |= value;
    always &= value;
  }
  t.equal(seen.size, 5_000, 'no id twice');
  t.equal(ever.toString(16).padStart(32, '0'), '0000000000007fffbfffffffffffffff');
  t.equal(always.toString(16).padStart(32, '0'), '00000000000070008000000000000000');
});

t.test('a derived id depends on every part and on where parts end', async t => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), parts => {
      const id = derivedId('thread', ...parts);
      return isId('thread', id) && id === derivedId('thread', ...parts);
    }),
  );
  t.equal(
    derivedId('thread', 'a', 'b'),
    'thread_3kncq2gbvsedyttzycvgjvve28',
    'as ever: threads are found by it',
  );
  t.not(derivedId('thread', 'ab', 'c'), derivedId('thread', 'a', 'bc'));
  t.not(derivedId('thread', 'a', 'b'), derivedId('thread', 'b', 'a'));
  t.not(derivedId('thread', 'a'), derivedId('thread', 'a', ''));
});

t.test('numbered ids of one owner and instant differ', async t => {
  const owner = newId('thread');
  const ids = Array.from({ length: 32_768 }, (_, n) => numberedId('event', 1_700_000_000_000, owner, n));
  t.equal(new Set(ids).size, ids.length);
  t.ok(ids.every(id => isId('event', id) && getIdTime(id) === 1_700_000_000_000));
  t.strictSame(ids, [...ids].sort(), 'and sort by their number');
});

t.test('what is not an id of the resource', async t => {
  const id = newId('thread');
  t.notOk(isId('message', id));
  t.notOk(isId('thread', id.slice(0, -1)));
  t.notOk(isId('thread', `${id}0`));
  t.notOk(isId('thread', id.toUpperCase()));
  t.notOk(isId('thread', `thread_8${id.slice(-25)}`), 'more than 128 bits');
  t.notOk(isId('thread', `thread_0${'l'.repeat(25)}`), 'a letter that Crockford leaves out');
});
