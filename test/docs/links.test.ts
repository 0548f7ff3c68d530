/** Links, files and commands that documents name exist, and the README stays short. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  documentExists,
  isSourceFile,
  readDocument,
  repositoryFiles,
  resolveLink,
  root,
} from './markdown.ts';

const paths = repositoryFiles('**/*.md', '.*/**/*.md');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Files of packages that documents speak of, and one that a reader writes. */
const foreignFiles: ReadonlySet<string> = new Set(['localQueue.ts', 'fixed_queue.ts', 'ingest.mjs']);

t.test('every relative link leads to a file, and its anchor to a heading', async t => {
  for (const path of paths) {
    const broken = readDocument(path).links.flatMap(({ target, line }) => {
      if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      const resolved = resolveLink(path, file);
      if (resolved === undefined || !documentExists(resolved)) return [`line ${line}: ${target}`];
      if (anchor === undefined || !resolved.endsWith('.md')) return [];
      return readDocument(resolved).anchors.has(anchor) ? [] : [`line ${line}: ${target} names no heading`];
    });
    t.same(broken, [], path);
  }
});

t.test('every file and folder that a document names exists', async t => {
  const file = /^(?:\.?[\w-]+\/)*\.?[\w-][\w.-]*\.(?:ts|js|cjs|mjs|md|proto)$/;
  const folder = /^(?:actors|bench|docs|examples|gateway|protocol|runtime|storage|test)\/[\w./-]+$/;
  for (const path of paths) {
    const missing = readDocument(path).codeSpans.filter(({ target }) => {
      if (!file.test(target) && !folder.test(target)) return false;
      return !isSourceFile(target) && !documentExists(target) && !foreignFiles.has(target);
    });
    t.same(missing, [], path);
  }
});

t.test('every npm script that a document names exists', async t => {
  for (const path of paths) {
    const named = [...readDocument(path).text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(
      ([, name = '']) => name,
    );
    t.same(
      named.filter(name => scripts[name] === undefined),
      [],
      path,
    );
  }
});

t.test('the README can be read in two minutes: at most 150 lines', async t => {
  t.ok(readDocument('README.md').lineCount <= 150, `${readDocument('README.md').lineCount} lines`);
});
