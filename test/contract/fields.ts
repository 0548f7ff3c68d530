/**
 * Checks the values that every field of every operation takes: text of all scripts is stored unchanged, text that cannot be stored is refused by
 * the field's name, limits hold at their edge and one past it, and so do the forms of ids and dates.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import type { Issue } from '../../protocol/errors.ts';
import { isInstant } from '../../protocol/formats.ts';
import { newId } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Refusal, Reply } from '../node/client.ts';
import { fields, getResource, type Part, type Schema } from '../node/sample.ts';
import { nastyInstants, strangeIds } from './arbitrary.ts';
import { ask } from './ask.ts';
import { startContractFixture } from './contract-fixture.ts';
import { type Level, select } from './level.ts';
import { good } from './refusals.ts';
import type { Refused } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';

/** Requests at the same time. */
const lanes = 12;
/** `npm test` sends one of so many values. */
const quickShare = 20;

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

/** A value for a field, and whether the answer to it is right. */
interface Check {
  readonly leaf: Leaf;
  readonly value: unknown;
  readonly isRight: (reply: Reply<unknown>) => boolean;
}

/** The value of the field in the answer, when the answer repeats it. */
function getEcho({ status, body }: Reply<unknown>, { part, path }: Leaf): unknown {
  const name = path.length === 1 ? path[0] : undefined;
  if (status >= 300 || part !== 'body' || name === undefined) return undefined;
  return (body as Readonly<Record<string, unknown>> | undefined)?.[name];
}

const refuse = (leaf: Leaf, value: unknown): Check => ({
  leaf,
  value,
  isRight: reply => reply.status === 422 && blames(reply, leaf),
});

function* listTexts(leaf: Leaf): Generator<Check> {
  if (!isText(leaf)) return;
  // An address cannot contain half a surrogate pair.
  for (const value of leaf.part === 'body' ? unkept : ['\0', 'a\0b']) yield refuse(leaf, value);
  const { pattern, format, minLength = 0 } = leaf.schema;
  if (pattern !== undefined || format !== undefined) return;
  for (const text of permitted) {
    const value = text + 'x'.repeat(minLength);
    const isRight = (reply: Reply<unknown>): boolean => {
      const echo = getEcho(reply, leaf);
      const isKept = typeof echo !== 'string' || echo === value;
      return isKept && !blames(reply, leaf, 'text', 'minLength', 'maxLength', 'type');
    };
    yield { leaf, value, isRight };
  }
}

/** Objects of any content: the same texts at any depth, and in the names of fields. */
function* listObjects(leaf: Leaf): Generator<Check> {
  const { type, properties, additionalProperties } = leaf.schema;
  if (leaf.part !== 'body' || type !== 'object' || properties !== undefined) return;
  if (typeof additionalProperties === 'object') return;
  for (const value of [{ 'k\0': 1 }, { k: ['\0'] }, { k: { k: '\ud800' } }, { '\udfff': null }]) {
    yield { leaf, value, isRight: ({ status }) => status === 422 };
  }
  const value = Object.fromEntries(permitted.map((text, n) => [`${text}${n}`, text]));
  const isRight = (reply: Reply<unknown>): boolean =>
    !blames(reply, leaf) && isDeepStrictEqual(getEcho(reply, leaf) ?? value, value);
  yield { leaf, value, isRight };
}

/** Returns an item of a list. Ids differ, because some lists require it. */
function createItem({ schema: { items = {} }, path }: Leaf): unknown {
  const resource = getResource(items);
  if (resource !== undefined) return newId(resource);
  return items.enum?.[0] ?? (path[0] === 'attachments' ? { kind: 'image' } : 'thread.*');
}

const keywords = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'type'];

function* listLimits(leaf: Leaf): Generator<Check> {
  const { minLength = 0, maxLength, minimum, maximum, minItems = 0, maxItems, items } = leaf.schema;
  const { pattern, format } = leaf.schema;
  const accept = (value: unknown): Check => ({
    leaf,
    value,
    isRight: reply => !blames(reply, leaf, ...keywords),
  });
  const isFree = pattern === undefined && format === undefined;
  // Characters of four bytes show that neither bytes nor UTF-16 units are counted. They are too long for an address.
  const character = leaf.part === 'body' && isFree ? '𝄞' : 'x';
  if (maxLength !== undefined) {
    yield refuse(leaf, character.repeat(maxLength + 1));
    if (isFree) yield accept(character.repeat(maxLength));
  }
  if (minLength > 0) yield refuse(leaf, character.repeat(minLength - 1));
  if (minimum !== undefined) yield* [refuse(leaf, minimum - 1), accept(minimum)];
  if (maximum !== undefined) yield* [refuse(leaf, maximum + 1), accept(maximum)];
  if (maxItems !== undefined && leaf.part === 'body') {
    const list = (length: number): unknown[] => Array.from({ length }, () => createItem(leaf));
    yield refuse(leaf, list(maxItems + 1));
    if (items?.pattern === undefined || getResource(items) !== undefined) yield accept(list(maxItems));
  }
  if (minItems > 0) yield refuse(leaf, []);
}

function* listDates(leaf: Leaf): Generator<Check> {
  if (leaf.schema.format !== 'date-time') return;
  for (const value of nastyInstants) {
    // A date that makes no sense in its field is refused with another code than `format`.
    const isRefused = (reply: Reply<unknown>): boolean =>
      reply.status === 422 && blames(reply, leaf) && /"code":"format"/.test(reply.text);
    yield { leaf, value, isRight: reply => isRefused(reply) !== isInstant(value) };
  }
}

/** Ids with the right prefix: 422 when they are malformed, and otherwise like an id that does not exist. */
function* listIds(leaf: Leaf): Generator<Check> {
  const resource = getResource(leaf.schema);
  if (resource === undefined) return;
  const isId = new RegExp(leaf.schema.pattern ?? '', 'u');
  for (const value of strangeIds(resource)) {
    // A field that refers to another resource is named when that does not exist.
    const isRight = (reply: Reply<unknown>): boolean =>
      !blames(reply, leaf) || blames(reply, leaf, 'reference');
    yield isId.test(value) ? { leaf, value, isRight } : refuse(leaf, value);
  }
}

function encode(asked: Asked): Asked {
  const params = Object.entries(asked.params ?? {}).map(([name, value]) => [name, encodeURIComponent(value)]);
  return { ...asked, params: Object.fromEntries(params) as Record<string, string> };
}

export async function checkFields(t: Test, level: Level): Promise<void> {
  const fixture = await startContractFixture(t);
  const requests = new Map<OperationId, Promise<Refused>>();

  async function send(id: OperationId, leaf: Leaf, value: unknown): Promise<Reply<unknown>> {
    const request = requests.get(id) ?? good(id, scenarios[id], fixture.sandbox);
    requests.set(id, request);
    const { by, asked } = await request;
    const changed = set(asked, leaf, value);
    return ask(by, id, leaf.part === 'params' ? encode(changed) : changed);
  }

  for (const [title, list] of Object.entries({ listTexts, listObjects, listLimits, listDates, listIds })) {
    await t.test(title.replace('list', '').toLowerCase(), async t => {
      const checks = rows.flatMap(([id, operation]) =>
        leaves(operation).flatMap(leaf => [...list(leaf)].map(check => ({ id, ...check }))),
      );
      const queue = select(level, checks, quickShare);
      t.ok(queue.length > 0, `${queue.length} values`);
      const faults: string[] = [];
      const run = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const { id, leaf, value, isRight } = next;
          const reply = await send(id, leaf, value);
          if (isRight(reply)) continue;
          const name = `${id} ${leaf.part} ${leaf.path.join('.')} ${JSON.stringify(value).slice(0, 60)}`;
          faults.push(`${name}: ${reply.status} ${reply.text.slice(0, 200)}`);
        }
      };
      await Promise.all(Array.from({ length: lanes }, run));
      t.same(faults, []);
    });
  }
  await t.test('the node', t => fixture.assertHealthy(t));
}
