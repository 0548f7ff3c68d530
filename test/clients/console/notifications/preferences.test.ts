/** What was kept is read again, and what was not written by this page does no harm. */
import fc from 'fast-check';
import t from 'tap';
import {
  defaultPreferences,
  keepPreferences,
  parsePreferences,
  readPreferences,
} from '../../../../clients/console/notifications/preferences.ts';

t.test('keeps them for each operator', async t => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  keepPreferences(storage, 'usr_1', { ...defaultPreferences, sound: true, about: 'all' });
  t.match(readPreferences(storage, 'usr_1'), { title: true, sound: true, about: 'all' });
  t.strictSame(readPreferences(storage, 'usr_2'), defaultPreferences);
});

t.test('everything but the title is off, whatever was kept that cannot be read', async t => {
  for (const kept of [null, '', 'null', '[]', '{"desktop":"yes","about":"everybody"}']) {
    t.strictSame(parsePreferences(kept), defaultPreferences, String(kept));
  }
  fc.assert(fc.property(fc.json(), kept => typeof parsePreferences(kept).desktop === 'boolean'));
});
