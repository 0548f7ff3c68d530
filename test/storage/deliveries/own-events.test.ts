/** What a node knows of the logs that it writes to: everything of a name, or nothing. */
import t from 'tap';
import { OwnEvents } from '../../../storage/deliveries/own-events.ts';
import type { AppendedEvents } from '../../../storage/events/commit-notifier.ts';
import fc from '../../support/fuzz.ts';

const projectId = 'prj_1';

function commit(first: number, names: readonly string[]): AppendedEvents {
  const events = names.map(eventName => ({
    projectId,
    environmentId: `env_${eventName.length}`,
    eventId: '',
    eventName,
    occurredAt: '',
    body: '',
  }));
  return { projectId, first, events, subscriptions: 0 };
}

t.test('whatever others commit between, and in whichever order commits are told', t => {
  const batch = fc.record({
    names: fc.array(fc.constantFrom('a', 'b', 'cc'), { minLength: 1, maxLength: 3 }),
    isOwn: fc.boolean(),
    isLate: fc.boolean(),
    looks: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 40, size: 'max' }), batches => {
      const own = new OwnEvents();
      const log: { readonly name: string; known: boolean }[] = [];
      let late: (() => void) | undefined;
      let looked = 0;
      for (const { names, isOwn, isLate, looks } of batches) {
        const first = log.length + 1;
        const added = names.map(name => ({ name, known: false }));
        log.push(...added);
        const tell = (): void => {
          own.add(commit(first, names));
          for (const each of added) each.known = true;
        };
        const before = late;
        late = isOwn && isLate ? tell : undefined;
        if (isOwn && !isLate) tell();
        before?.();
        if (!looks) continue;
        const news = log.slice(looked);
        const found = own.find(projectId, looked, log.length);
        if ((found !== undefined) !== news.every(({ known }) => known)) {
          throw new Error(
            `${found === undefined ? 'does not know' : 'claims to know'} ${JSON.stringify(news)}`,
          );
        }
        for (const [index, { name }] of news.entries()) {
          const newest = found?.find(
            each => each.eventName === name && each.environmentId === `env_${name.length}`,
          );
          if (found !== undefined && !(newest !== undefined && newest.newest >= looked + index + 1)) {
            throw new Error(`${name} is missing`);
          }
        }
        looked = log.length;
      }
    }),
    { numRuns: 500 },
  );
  t.end();
});

t.test('a log that begins anew is another', t => {
  const own = new OwnEvents();
  own.add(commit(1, ['a', 'a', 'a', 'a']));
  t.same(own.find(projectId, 2, 4), [{ environmentId: 'env_1', eventName: 'a', newest: 4 }]);
  // A backup was restored that has two of them, and another node has committed the third.
  own.add(commit(4, ['b']));
  t.equal(own.find(projectId, 2, 4), undefined);
  t.same(own.find(projectId, 3, 4), [{ environmentId: 'env_1', eventName: 'b', newest: 4 }]);
  own.forget(projectId);
  t.equal(own.find(projectId, 3, 4), undefined);
  t.end();
});

t.test('of a log that many write to it keeps little, and the newest', t => {
  const own = new OwnEvents();
  for (let seq = 1; seq <= 99; seq += 2) own.add(commit(seq, ['a']));
  t.equal(own.find(projectId, 0, 1), undefined);
  t.same(own.find(projectId, 98, 99), [{ environmentId: 'env_1', eventName: 'a', newest: 99 }]);
  for (let seq = 90; seq <= 98; seq += 2) own.add(commit(seq, ['b']));
  t.same(own.find(projectId, 89, 99), [
    { environmentId: 'env_1', eventName: 'a', newest: 99 },
    { environmentId: 'env_1', eventName: 'b', newest: 98 },
  ]);
  t.end();
});
