import t from 'tap';
import { createEtag, hashEtag, matchesIfNoneMatch, passesIfMatch } from '../../protocol/etag.ts';

t.test('the tag of a resource depends on what it shows, and not on the order of names', async t => {
  const etag = createEtag({ name: 'a', metadata: { x: 1, y: [1, 2] } });
  t.match(etag, /^"[A-Za-z0-9_-]{27}"$/);
  t.equal(createEtag({ metadata: { y: [1, 2], x: 1 }, name: 'a' }), etag);
  t.equal(createEtag({ metadata: { y: [1, 2], x: 1 }, name: 'a', gone: undefined }), etag);
  t.not(createEtag({ name: 'a', metadata: { x: 1, y: [2, 1] } }), etag);
  t.not(hashEtag('a'), hashEtag('b'));
});

t.test('If-Match takes one of several tags, and no weak one (RFC 9110 section 13.1.1)', async t => {
  const resource = { name: 'a' };
  const etag = createEtag(resource);
  for (const good of ['', '*', etag, ` ${etag} `, `"other", ${etag}`])
    t.ok(passesIfMatch(good, resource), good);
  for (const bad of [`W/${etag}`, '"other"', etag.slice(1, -1), 'nonsense', '""']) {
    t.notOk(passesIfMatch(bad, resource), bad);
  }
});

t.test('If-None-Match compares weakly (RFC 9110 section 13.1.2)', async t => {
  for (const same of ['"a"', 'W/"a"', '"b", "a"', '*']) t.ok(matchesIfNoneMatch(same, '"a"'), same);
  for (const other of ['', '"b"', 'a']) t.notOk(matchesIfNoneMatch(other, '"a"'), other);
});
