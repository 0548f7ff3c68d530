/** The README tells what the contract tests cover by the numbers that they hold themselves to. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { coverage } from './coverage.ts';

t.test('the README has the table that `npm run contract` prints', async t => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = /\n## The contract\n([^]*?)\n## /.exec(readme) ?? [];
  const table = section.split('\n').filter(line => /^\| [^|]/.test(line));
  t.same(
    table,
    coverage().map(([what, numbers]) => `| ${what} | ${numbers} |`),
  );
});
