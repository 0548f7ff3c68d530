/** Signed addresses of files: an address is good for what it was made for, and no change of it makes it good for more. */
import t from 'tap';
import { MediaLinks, type MediaUse } from '../../../gateway/media/links.ts';
import { newId } from '../../../protocol/ids.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { freshKey } from '../../support/accounts.ts';
import fc from '../../support/fuzz.ts';

const now = Date.parse('2026-11-20T10:00:00.900Z');
const attachmentId = newId('attachment');
const key = freshKey('one');
const links = new MediaLinks(new KeyRing(key), 'https://files.example.com');

const toQuery = (url: string): string => url.slice(url.indexOf('?') + 1);
const use = fc.constantFrom<MediaUse>('upload', 'read');

t.test('an address is accepted for its own use and file, until the instant that it names', async t => {
  fc.assert(
    fc.property(use, use, fc.integer({ min: 0, max: 400_000 }), (made, asked, laterMs) => {
      const { url, expiresAt } = links.make(made, attachmentId, now);
      const check = (): void => links.check(asked, attachmentId, toQuery(url), now + laterMs);
      if (made === asked && now + laterMs < Date.parse(expiresAt)) check();
      else t.throws(check, { code: made === asked ? 'svc/auth/expired_token' : 'svc/auth/invalid_token' });
    }),
  );
  const { url } = links.make('read', attachmentId, now);
  t.throws(() => links.check('read', newId('attachment'), toQuery(url), now), {
    code: 'svc/auth/invalid_token',
  });
});

t.test('no character of an address can be changed, left out or added', async t => {
  const query = toQuery(links.make('read', attachmentId, now).url);
  const at = fc.nat({ max: query.length - 1 });
  const character = fc.constantFrom(...'abcxyzABCXYZ0123456789-_.=&?%+ ');
  fc.assert(
    fc.property(at, fc.nat({ max: 1 }), fc.option(character, { nil: '' }), (index, removed, added) => {
      const changed = query.slice(0, index) + added + query.slice(index + removed);
      const check = (): void => links.check('read', attachmentId, changed, now);
      if (changed === query) check();
      else t.throws(check, { code: 'svc/auth/invalid_token' });
    }),
    { numRuns: 500 },
  );
});

t.test('an address lives as long as the key that signed it', async t => {
  const query = toQuery(links.make('upload', attachmentId, now).url);
  const rotated = new MediaLinks(new KeyRing(`${freshKey('two')},${key}`), 'https://files.example.com');
  rotated.check('upload', attachmentId, query, now);
  const replaced = new MediaLinks(new KeyRing(freshKey('two')), 'https://files.example.com');
  t.throws(() => replaced.check('upload', attachmentId, query, now), { code: 'svc/auth/invalid_token' });
});
