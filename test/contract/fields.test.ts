/**
 * Every field of every operation: texts of all scripts, kept to the byte where they are permitted, and refused by the field's name
 * where they cannot be kept; limits at their edge and one past it; ids with a right prefix and any body; dates in every form.
 */
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import type { Issue } from '../../protocol/errors.ts';
import { isInstant } from '../../protocol/formats.ts';
import { newId } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Refusal, Reply } from '../node/client.ts';
import { fields, getResource, type Part, type Schema } from '../node/sample.ts';
import { nastyInstants, strangeIds } from './arbitrary.ts';
import { ask } from './ask.ts';
import { good } from './refusals.ts';
import type { Refused } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';
import { startContractFixture } from './contract-fixture.ts';

const fixture = await startContractFixture(t);
const rows = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, { auth }]) => auth !== 'refresh',
);

/** A field at any depth: of objects and of the items of lists. */
interface Leaf {
  readonly part: Part;
  readonly path: readonly string[];
  readonly schema: Schema;
}

function listLeaves(part: Part, path: readonly string[], schema: Schema): Leaf[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    listLeaves(part, [...path, name], each),
  );
  const items = schema.items === undefined ? [] : listLeaves(part, [...path, '0'], schema.items);
  return [{ part, path, schema }, ...inner, ...items];
}

const leaves = (operation: Operation): Leaf[] =>
  fields(operation).flatMap(({ part, name, schema }) => listLeaves(part, [name], schema));

/** What has to be there beside the field for the request to fit. */
const beside: Readonly<Record<string, unknown>> = {
  attachments: { kind: 'image' },
  messages: { direction: 'inbound' },
  toolResults: { toolId: newId('tool') },
};

/** The request with another value in the field. */
function set(asked: Asked, { part, path }: Leaf, value: unknown): Asked {
  const [name = '', ...rest] = path;
  const put = (inner: readonly string[], at: unknown): unknown => {
    const [step, ...deeper] = inner;
    if (step === undefined) return value;
    if (step === '0') return [put(deeper, typeof at === 'object' ? at : undefined)];
    return { ...(at as object | undefined), [step]: put(deeper, undefined) };
  };
  return { ...asked, [part]: { ...(asked[part] as object | undefined), [name]: put(rest, beside[name]) } };
}

const isText = ({ schema }: Leaf): boolean =>
  (schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'))) &&
  schema.enum === undefined;

/** Whether the answer complains of this field, by one of these codes if any are given. */
function blames({ body }: Reply<unknown>, { part, path }: Leaf, ...codes: readonly string[]): boolean {
  const pointer = `/${part === 'params' ? 'path' : part}/${path.join('/')}`;
  const issues = ((body as Refusal | undefined)?.details?.['issues'] ?? []) as readonly Issue[];
  return issues.some(issue => issue.path === pointer && (codes.length === 0 || codes.includes(issue.code)));
}

const permitted = [
  ...[
    '😀',
    '👩‍👩‍👧‍👦',
    '𝄞𝄞',
    'שלום עולם',
    'مرحبا',
    '\u202ebidi\u202c',
    'e\u0301\u0323\u0301',
    'Z\u0351\u036b\u0343\u036a',
    '漢字',
  ],
  ...[
    '\u0001\u0007\u001b[31m\u007f',
    'a\r\nX-Injected: 1',
    '\t',
    '\u200b\ufeff',
    '\u{10ffff}',
    '__proto__',
    '%00%ff',
    "' or 1=1 --",
  ],
];
const unkept = ['\0', 'a\0b', '\ud800', 'a\udfffb', '\udc00\ud800'];

const requests = new Map<OperationId, Promise<Refused>>();

/** A request of the operation that is good: for fields whose refusal or reading leaves it so. */
function base(id: OperationId): Promise<Refused> {
  let made = requests.get(id);
  if (made === undefined) requests.set(id, (made = good(id, scenarios[id], fixture.sandbox)));
  return made;
}

async function tryIn(id: OperationId, leaf: Leaf, value: unknown): Promise<Reply<unknown>> {
  const { by, asked } = await base(id);
  const changed = set(asked, leaf, value);
  return ask(by, id, leaf.part === 'params' ? encoded(changed) : changed);
}

function encoded(asked: Asked): Asked {
  const params = Object.entries(asked.params ?? {}).map(([name, value]) => [name, encodeURIComponent(value)]);
  return { ...asked, params: Object.fromEntries(params) as Record<string, string> };
}

/** Asks of all operations that have such a field, several at a time; each gives what was wrong. */
async function everywhere(
  t: Test,
  work: (id: OperationId, leaf: Leaf) => Promise<string[]>,
  wanted: (leaf: Leaf) => boolean,
): Promise<void> {
  const queue = rows.flatMap(([id, operation]) =>
    leaves(operation)
      .filter(wanted)
      .map(leaf => ({ id, leaf })),
  );
  const wantedCount = queue.length;
  const faults: string[] = [];
  let tried = 0;
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      tried++;
      faults.push(...(await work(next.id, next.leaf)));
    }
  };
  await Promise.all(Array.from({ length: 12 }, lane));
  t.same(faults, []);
  t.ok(wantedCount > 0);
  t.equal(tried, wantedCount, `${tried} fields`);
}

const toName = (id: OperationId, { part, path }: Leaf, value: unknown): string =>
  `${id} ${part} ${path.join('.')} ${JSON.stringify(value).slice(0, 60)}`;

t.test('text that cannot be kept is 422 and named; all other text is as good as any', async t => {
  await everywhere(
    t,
    async (id, leaf) => {
      const found: string[] = [];
      // In an address half a pair cannot be said at all.
      for (const value of leaf.part === 'body' ? unkept : ['\0', 'a\0b']) {
        const reply = await tryIn(id, leaf, value);
        if (reply.status !== 422 || !blames(reply, leaf))
          found.push(`${toName(id, leaf, value)}: ${reply.text}`);
      }
      if (leaf.schema.pattern !== undefined || leaf.schema.format !== undefined) return found;
      for (const value of permitted) {
        const padded = value + 'x'.repeat(leaf.schema.minLength ?? 0);
        const reply = await tryIn(id, leaf, padded);
        if (blames(reply, leaf, 'text', 'minLength', 'maxLength', 'type'))
          found.push(`${toName(id, leaf, value)}: ${reply.text}`);
        const echoed = (reply.body as Readonly<Record<string, unknown>> | undefined)?.[leaf.path[0] ?? ''];
        if (
          reply.status < 300 &&
          leaf.part === 'body' &&
          leaf.path.length === 1 &&
          typeof echoed === 'string' &&
          echoed !== padded
        ) {
          found.push(`${toName(id, leaf, value)}: kept as ${JSON.stringify(echoed)}`);
        }
      }
      return found;
    },
    isText,
  );
});

t.test(
  'and so it is within objects of any content, at any depth, and in the names of their fields',
  async t => {
    await everywhere(
      t,
      async (id, leaf) => {
        const found: string[] = [];
        for (const value of [{ 'k\0': 1 }, { k: ['\0'] }, { k: { k: '\ud800' } }, { '\udfff': null }]) {
          const reply = await tryIn(id, leaf, value);
          if (reply.status !== 422) found.push(`${toName(id, leaf, value)}: ${reply.text}`);
        }
        const kept = Object.fromEntries(permitted.map((text, n) => [`${text}${n}`, text]));
        const reply = await tryIn(id, leaf, kept);
        if (blames(reply, leaf)) found.push(`${toName(id, leaf, kept)}: ${reply.text}`);
        const echoed = (reply.body as Readonly<Record<string, unknown>> | undefined)?.[leaf.path[0] ?? ''];
        if (reply.status < 300 && leaf.path.length === 1 && echoed !== undefined) {
          if (!isDeepStrictEqual(echoed, kept)) found.push(`${id} keeps ${JSON.stringify(echoed)}`);
        }
        return found;
      },
      ({ part, schema }) =>
        part === 'body' &&
        schema.type === 'object' &&
        schema.properties === undefined &&
        typeof schema.additionalProperties !== 'object',
    );
  },
);

/** An item of a list. Of ids each is another one: a list may want them so. */
function createItem({ schema: { items = {} }, path }: Leaf): unknown {
  const resource = getResource(items);
  if (resource !== undefined) return newId(resource);
  return items.enum?.[0] ?? (path[0] === 'attachments' ? { kind: 'image' } : 'thread.*');
}

const keywords = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'type'];

t.test('limits at their edge, and one past it', async t => {
  await everywhere(
    t,
    async (id, leaf) => {
      const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format } = leaf.schema;
      const found: string[] = [];
      const over = async (value: unknown): Promise<void> => {
        const reply = await tryIn(id, leaf, value);
        if (reply.status !== 422 || !blames(reply, leaf))
          found.push(`${toName(id, leaf, value)} is let through: ${reply.text.slice(0, 200)}`);
      };
      const edge = async (value: unknown): Promise<void> => {
        const reply = await tryIn(id, leaf, value);
        if (blames(reply, leaf, ...keywords))
          found.push(`${toName(id, leaf, value)} is refused: ${reply.text.slice(0, 200)}`);
      };
      // Characters of four bytes, so that neither bytes nor UTF-16 units are counted; in an address they would be too long for its head.
      const wide = leaf.part === 'body' && pattern === undefined && format === undefined ? '𝄞' : 'x';
      if (maxLength !== undefined) {
        await over(wide.repeat(maxLength + 1));
        if (pattern === undefined && format === undefined) await edge(wide.repeat(maxLength));
      }
      if (minLength !== undefined && minLength > 0) await over(wide.repeat(minLength - 1));
      if (minimum !== undefined) {
        await over(minimum - 1);
        await edge(minimum);
      }
      if (maximum !== undefined) {
        await over(maximum + 1);
        await edge(maximum);
      }
      if (maxItems !== undefined && leaf.part === 'body') {
        await over(Array.from({ length: maxItems + 1 }, () => createItem(leaf)));
        if (leaf.schema.items?.pattern === undefined || getResource(leaf.schema.items) !== undefined)
          await edge(Array.from({ length: maxItems }, () => createItem(leaf)));
      }
      if (minItems !== undefined && minItems > 0) await over([]);
      return found;
    },
    ({ schema }) =>
      [schema.maxLength, schema.minLength, schema.minimum, schema.maximum, schema.maxItems].some(
        limit => limit !== undefined,
      ),
  );
});

t.test('dates in every form, of which the contract takes one', async t => {
  await everywhere(
    t,
    async (id, leaf) => {
      const found: string[] = [];
      for (const value of nastyInstants) {
        const reply = await tryIn(id, leaf, value);
        // Of those that are dates some make no sense where they stand, and are refused by another word than `format`.
        const isRefused = reply.status === 422 && blames(reply, leaf) && /"code":"format"/.test(reply.text);
        if (isRefused === isInstant(value))
          found.push(`${toName(id, leaf, value)}: ${reply.status} ${reply.text.slice(0, 200)}`);
      }
      return found;
    },
    ({ schema }) => schema.format === 'date-time',
  );
});

t.test('ids with the right prefix and any body: 422 where they can be none, else not there', async t => {
  await everywhere(
    t,
    async (id, leaf) => {
      const resource = getResource(leaf.schema);
      if (resource === undefined) return [];
      const found: string[] = [];
      const isId = new RegExp(leaf.schema.pattern ?? '', 'u');
      for (const value of strangeIds(resource)) {
        const reply = await tryIn(id, leaf, value);
        if (!isId.test(value) && !(reply.status === 422 && blames(reply, leaf)))
          found.push(`${toName(id, leaf, value)}: ${reply.text}`);
        // What a new thing shall be made with is named where it is not there.
        if (isId.test(value) && blames(reply, leaf) && !blames(reply, leaf, 'reference'))
          found.push(`${toName(id, leaf, value)}: ${reply.text}`);
      }
      return found;
    },
    ({ schema }) => getResource(schema) !== undefined,
  );
});

t.test('the node', t => fixture.assertHealthy(t));
