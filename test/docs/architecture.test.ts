/** docs/develop/architecture.md has every module, and names no file twice on the path of an inbound message; every module has tests. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  parseCodeSpans,
  documentExists,
  readDocument,
  repositoryFiles,
  root,
  section,
  tableRows,
} from './markdown.ts';

const document = readDocument('docs/develop/architecture.md');
const layers = ['gateway', 'actors', 'storage', 'runtime', 'protocol'];
/** The most files that an inbound message may enter before its 201. It only ever gets smaller. */
const maxPathFiles = 40;

const modules = layers.flatMap(layer =>
  readdirSync(join(root, layer), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => `${layer}/${name}`),
);

/** Modules without tests at their own path, each with the test that holds them. */
const testedElsewhere: Readonly<Record<string, string>> = {
  // Generated from internal.proto, which imports those of Google; the test generates it again.
  'protocol/gen': 'test/protocol/generated.test.ts',
  'protocol/google': 'test/protocol/generated.test.ts',
  // Declarations alone; the test compares them with the migrated schema.
  'storage/entities': 'test/storage/migrations/schema.test.ts',
};

t.test('every module of the layers, and no other', async t => {
  const listed = tableRows(section(document, 'Modules')).flatMap(([name = '']) => parseCodeSpans(name));
  t.same(listed.toSorted(), modules.toSorted());
});

t.test('every module has tests at its own path under test/', async t => {
  for (const name of modules) {
    const elsewhere = testedElsewhere[name];
    const tests = repositoryFiles(`test/${name}/**/*.test.ts`, `test/${name}.test.ts`);
    if (elsewhere === undefined) t.not(tests.length, 0, name);
    else t.ok(documentExists(elsewhere) && tests.length === 0, `${name} is tested by ${elsewhere} alone`);
  }
});

t.test('the path of an inbound message is short, and every file of it exists', async t => {
  const lines = section(document, 'The path of an inbound message').split('\n');
  const files = lines.flatMap(line => /^ {4}((?:\w+\/)[\w./-]+\.ts)$/.exec(line)?.[1] ?? []);
  t.ok(files.length > 10 && files.length <= maxPathFiles, `${files.length} files`);
  t.equal(new Set(files).size, files.length, 'none twice');
  t.same(
    files.filter(file => !documentExists(file)),
    [],
  );
});
