/** The history checker finds what it is there to find. */
import t from 'tap';
import { checkHistory, nothingFound, type Findings, type Operation } from '../support/history.ts';

const operation = (id: string, more: Partial<Operation> = {}): Operation => ({
  client: 'c',
  actor: 'a',
  id,
  invokedAt: 0,
  settledAt: 10,
  outcome: 'ok',
  ...more,
});
const log = (...ids: string[]): Map<string, readonly string[]> => new Map([['a', ids]]);
const found = (findings: Findings): string[] =>
  Object.entries(findings).flatMap(([invariant, all]) =>
    (all as readonly string[]).length > 0 ? [invariant] : [],
  );

t.test('a sound history has no findings', async t => {
  const operations = [
    operation('first', { position: 1 }),
    operation('second', { invokedAt: 11, settledAt: 30, position: 3 }),
    operation('at the same time', { invokedAt: 5, settledAt: 40, outcome: 'unknown' }),
    operation('never came', { outcome: 'unknown' }),
    operation('refused', { outcome: 'refused' }),
  ];
  const truth = log('first', 'at the same time', 'second', 'own:1');
  const looks = [{ client: 'c', actor: 'a', ids: ['first', 'at the same time'] }];
  t.same(
    checkHistory({ operations, looks }, truth, id => id.startsWith('own')),
    nothingFound,
  );
});

t.test('each broken invariant is found', async t => {
  const one = [operation('x', { position: 1 })];
  t.same(found(checkHistory({ operations: one }, log())), ['lost'], 'not there');
  t.same(found(checkHistory({ operations: one }, new Map([['b', ['x']]]))), ['lost'], 'with another actor');
  t.same(found(checkHistory({ operations: one }, log('y', 'x'), id => id === 'y')), ['lost'], 'elsewhere');
  t.same(found(checkHistory({ operations: one }, log('x', 'x'))), ['doubled']);
  t.same(found(checkHistory({ operations: [operation('x', { outcome: 'refused' })] }, log('x'))), [
    'refused',
  ]);
  t.same(found(checkHistory({ operations: one }, log('x', 'y'))), ['invented']);
  const later = operation('y', { invokedAt: 11, settledAt: 20 });
  t.same(found(checkHistory({ operations: [operation('x'), later] }, log('y', 'x'))), ['disordered']);
  const looks = [{ client: 'c', actor: 'a', ids: ['x', 'z'] }];
  t.same(found(checkHistory({ operations: one, looks }, log('x'))), ['untrue']);
});
