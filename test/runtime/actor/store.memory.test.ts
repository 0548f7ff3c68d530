import t from 'tap';
import { StoreUnavailable, type Commit } from '../../../runtime/actor/store.ts';
import { MemoryDatabase, MemoryStore, type Fault, type MemoryWrite } from '../../support/memory-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { storeConformance } from './store.conformance.ts';

t.test('the rules', async t => {
  storeConformance<MemoryWrite>(t, async () => {
    const clock = new VirtualClock();
    const database = new MemoryDatabase();
    return {
      store: new MemoryStore({ clock, database }),
      other: new MemoryStore({ clock, database }),
      actor: name => ({ kind: 'thing', id: `thing_${name}` }),
      state: (_, mark) => ({ mark }),
      parseMark: state => (state as { mark: string }).mark,
      writes: { unique: key => ({ scope: 'once', key }) },
      letters: async () => database.letters,
      close: async () => undefined,
    };
  });
});

t.test('an injected fault', async t => {
  const commit = (): Commit<MemoryWrite> => ({
    actor: { kind: 'thing', id: 'a' },
    base: 0,
    chain: { broken: false },
    snapshot: { version: 1, state: {} },
    writes: [],
    remind: [],
    forget: [],
  });
  const store = (fault: Fault): MemoryStore =>
    new MemoryStore({ clock: new VirtualClock(), fault: () => fault });

  const cases = { unavailable: false, lost: false, doubtful: true } as const;
  for (const [fault, applied] of Object.entries(cases) as [keyof typeof cases, boolean][]) {
    t.test(`${fault} tells the truth in the end`, async t => {
      const faulty = store(fault);
      if (applied) await faulty.commit(commit());
      else await t.rejects(faulty.commit(commit()), StoreUnavailable);
      t.equal(faulty.database.read({ kind: 'thing', id: 'a' }) !== undefined, applied);
    });
  }

  t.test('an error is handed on, and nothing is applied', async t => {
    const faulty = store(new RangeError('check failed'));
    await t.rejects(faulty.commit(commit()), RangeError);
    t.equal(faulty.database.rows.size, 0);
  });
});
