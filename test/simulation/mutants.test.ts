/** Every bug that the simulation has to find has its place in the code; and what a place is. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { mutants } from './mutants.ts';
import { mutate } from './mutate.ts';

for (const mutant of mutants) {
  t.test(mutant.bug, async t => {
    for (const edit of [mutant, ...(mutant.also === undefined ? [] : [mutant.also])]) {
      const source = await readFile(new URL(`../../${edit.file}`, import.meta.url), 'utf8');
      t.not(mutate(source, edit), source);
    }
  });
}

const source = `
class Counter {
  #count = 0;

  // Layout and comments do not matter.
  add(by: number): void {
    if (
      by > 0 && // not below
      by < 10
    ) this.#count += by;
    this.#count++;
  }

  reset(): void {
    this.#count++;
  }
}
const limit = 1;
`;

t.test('an expression', async t => {
  const found = mutate(source, { find: 'by > 0 && by < 10', replace: 'true' });
  t.match(found, /if \(\s+true\s+\) this\.#count \+= by;/);
});

t.test('a statement, within a method', async t => {
  const found = mutate(source, { in: 'Counter.reset', find: 'this.#count++;', replace: '' });
  t.equal(found.match(/#count\+\+/g)?.length, 1);
  t.match(found, /reset\(\): void {\s+}/);
});

t.test('a piece of code that is missing or ambiguous', async t => {
  for (const [find, times] of [
    ['by > 1', 0],
    ['by >= 0 && by < 10', 0],
    ['this.#count--', 0],
    ['let limit = 1;', 0],
    ['const limit = 2;', 0],
    ['this.#count++', 2],
    ['this.#count++;', 2],
  ] as const) {
    const message = `the file has ${times} times, and not once: ${find}`;
    t.throws(() => mutate(source, { find, replace: '' }), { name: 'RangeError', message });
  }
  t.throws(() => mutate(source, { in: 'Counter.remove', find: 'by', replace: '' }), {
    message: 'Counter.remove has 0 times, and not once: by',
  });
});
