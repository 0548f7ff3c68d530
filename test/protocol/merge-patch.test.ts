import t from 'tap';
import { isTooLarge, maxFreeFormBytes, mergePatch } from '../../protocol/merge-patch.ts';

t.test('the examples of RFC 7396, appendix A, that are objects', async t => {
  for (const [target, patch, result] of [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ] as const) {
    const before = JSON.stringify(target);
    t.strictSame(mergePatch(target, patch), result);
    t.equal(JSON.stringify(target), before, 'the target stays as it is');
  }
});

t.test('__proto__ is a name like any other', async t => {
  const patch = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>;
  const merged = mergePatch({}, patch);
  t.equal(JSON.stringify(merged), '{"__proto__":{"polluted":true}}');
  t.equal((merged as { polluted?: boolean }).polluted, undefined);
});

t.test('what has become too large is refused, and may become smaller', async t => {
  const large = { a: 'x'.repeat(maxFreeFormBytes) };
  t.ok(isTooLarge(large, {}));
  t.notOk(isTooLarge(large, { a: `${large.a}x` }));
  t.notOk(isTooLarge({ a: 1 }, {}));
});
