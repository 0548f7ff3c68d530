/** docs/develop/contract.md tells what the contract tests cover by the numbers that they hold themselves to. */
import t from 'tap';
import { readDocument, tableRows } from '../docs/markdown.ts';
import { coverage } from './coverage.ts';

t.test('contract.md has the table that `npm run contract` prints', async t => {
  t.same(tableRows(readDocument('docs/develop/contract.md').text), coverage());
});
