/** Change notes become a section of the changelog and the next version. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { addRelease, getNewestSection, getNextVersion, parseNote } from '../../.config/changes.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');

const patch = parseNote('a.md', "---\n'skein': patch\n---\n\nLists are sorted.\nBoth ways.\n");
const minor = parseNote('b.md', '---\n"skein": minor\n---\n\nStop all nodes first.\n');

t.test('a note has a bump and a text', async t => {
  t.same(patch, { bump: 'patch', text: 'Lists are sorted.\nBoth ways.' });
  t.same(minor, { bump: 'minor', text: 'Stop all nodes first.' });
  for (const content of [
    'Lists are sorted.\n',
    "---\n'skein': small\n---\n\nLists are sorted.\n",
    "---\n'other': patch\n---\n\nLists are sorted.\n",
    "---\n'skein': patch\n---\n\n",
  ]) {
    t.throws(() => parseNote('c.md', content), { message: /^c\.md is not a change note/ }, content);
  }
});

t.test('every note of the repository can be read', async t => {
  const paths = globSync('.changeset/*.md', { cwd: root });
  t.ok(paths.includes('.changeset/README.md'));
  for (const path of paths.filter(each => !each.endsWith('README.md'))) {
    t.doesNotThrow(() => parseNote(path, read(path)), path);
  }
});

t.test('the greatest bump decides the next version', async t => {
  t.equal(getNextVersion('0.2.3', [patch, patch]), '0.2.4');
  t.equal(getNextVersion('0.2.3', [patch, minor]), '0.3.0');
  t.equal(getNextVersion('0.2.3', [{ bump: 'major', text: 'Stable.' }, minor]), '1.0.0');
});

t.test('the new section comes first, with what operators must know at its beginning', async t => {
  const before = '# Changelog\n\nIntroduction.\n\n## [0.2.0] - 2026-11-28\n\n### Changes\n\n- Old.\n';
  const after = addRelease(before, '[0.3.0] - 2026-12-01', [patch, minor]);
  t.equal(
    after,
    '# Changelog\n\nIntroduction.\n\n## [0.3.0] - 2026-12-01\n\n### Before you upgrade\n\n- Stop all nodes first.\n\n' +
      '### Changes\n\n- Lists are sorted.\n  Both ways.\n\n## [0.2.0] - 2026-11-28\n\n### Changes\n\n- Old.\n',
  );
  t.match(getNewestSection(after), /^### Before you upgrade[^]*Both ways\.\n$/);
  t.equal(addRelease(before, '[0.2.1] - 2026-12-01', [patch]).includes('Before you upgrade'), false);
});

t.test('a release takes at most 60 lines of the changelog', async t => {
  const [, ...sections] = read('CHANGELOG.md').split(/^(?=## )/m);
  t.not(sections.length, 0);
  for (const section of sections) {
    const [heading = '', ...lines] = section.trimEnd().split('\n');
    t.ok(lines.length < 60, `${heading}: ${lines.length + 1} lines`);
  }
});
