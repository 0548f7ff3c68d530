/**
 * What a body may cost the event loop before it is refused: it has a limited number of values, each is visited a limited number of
 * times, and a limited number of issues comes of it. For every operation, with the worst that its fields can be given.
 */
import t from 'tap';
import { parseJsonBody } from '../../gateway/pipeline/parts.ts';
import { operations } from '../../protocol/operations/index.ts';
import { getMaxBodyBytes, type Operation } from '../../protocol/operation.ts';
import { compile, maxIssues } from '../../protocol/validate.ts';

const maxValues = 10_000;
/** Visits of one value: by the check, the measure of its bytes, the short copy, and the search for errors and for text that cannot be stored. */
const visitsPerValue = 4;
const rows = Object.entries(operations as Readonly<Record<string, Operation>>);

/** The value, and all that is in it, counting every look at one of its fields. */
function counted(value: unknown, count: () => void): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = new Map<PropertyKey, unknown>();
  return new Proxy(value, {
    get(target, name, receiver) {
      count();
      if (!inner.has(name)) inner.set(name, counted(Reflect.get(target, name, receiver), count));
      return inner.get(name);
    },
    getOwnPropertyDescriptor(target, name) {
      count();
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    has(target, name) {
      count();
      return Reflect.has(target, name);
    },
  });
}

const list = (item: string, count: number): string => `[${Array.from({ length: count }, () => item).join()}]`;
const fields = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"a${i}":1`).join()}}`;

/** As many values as a body may have, in every shape that a field could be given. */
const shapes = [
  fields(4_900),
  list('"x"', 9_900),
  list('{}', 4_900),
  list('{"q":1}', 3_300),
  list(list('1', 9), 900),
  `${'{"a":'.repeat(60)}${fields(4_800)}${'}'.repeat(60)}`,
];

for (const [operationId, { body }] of rows) {
  if (body === undefined) continue;
  t.test(operationId, async t => {
    const validate = compile(body);
    const names = Object.keys((body as { readonly properties?: object }).properties ?? {});
    const texts = [...shapes, ...names.flatMap(name => shapes.map(shape => `{"${name}":${shape}}`))];
    let most = 0;
    for (const text of texts) {
      let visits = 0;
      const value = counted(parseJsonBody(Buffer.from(text), 'application/json'), () => visits++);
      const issues = validate(value, '/body')?.length ?? 0;
      most = Math.max(most, visits);
      if (issues > maxIssues) t.fail(`${issues} issues of ${text.slice(0, 60)}`);
    }
    t.ok(most <= maxValues * visitsPerValue, `${most} looks at fields`);
  });
}

t.test('a body has a limited number of values, however they are written', async t => {
  const refused = { code: 'svc/validation/invalid_request', http: 422 };
  for (const text of [fields(5_100), list('1', 10_100), list('[]', 5_100), `${'['.repeat(10_100)}`]) {
    t.throws(() => parseJsonBody(Buffer.from(text), 'application/json'), refused, text.slice(0, 20));
  }
  const text = JSON.stringify([`",:[{\\"`.repeat(20_000), '\\'.repeat(20_001), '[,]'.repeat(10_000)]);
  t.strictSame(parseJsonBody(Buffer.from(text), 'application/json'), JSON.parse(text), 'texts count once');
});

t.test('where nobody is known, a body is short', async t => {
  for (const [operationId, operation] of rows) {
    if (operation.body === undefined || operation.auth === 'project' || operation.auth === 'user') continue;
    t.equal(getMaxBodyBytes(operation), 8_192, operationId);
  }
});
