/** docs/develop/architecture.md has every room, and names no file twice on the path of an inbound message. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { codeOf, documentExists, readDocument, root, section, tableRows } from './markdown.ts';

const document = readDocument('docs/develop/architecture.md');
const layers = ['gateway', 'actors', 'storage', 'runtime', 'protocol'];
/** The most files that an inbound message may enter before its 201. It only ever gets smaller. */
const longestPath = 40;

t.test('every room of the layers, and no other', async t => {
  const rooms = layers.flatMap(layer =>
    readdirSync(join(root, layer), { withFileTypes: true })
      .filter(entry => entry.isDirectory() && `${layer}/${entry.name}` !== 'protocol/google')
      .map(({ name }) => `${layer}/${name}`),
  );
  const listed = tableRows(section(document, 'Rooms')).flatMap(([room = '']) => codeOf(room));
  t.same(listed.toSorted(), rooms.toSorted());
});

t.test('the path of an inbound message is short, and every file of it exists', async t => {
  const lines = section(document, 'The path of an inbound message').split('\n');
  const files = lines.flatMap(line => /^ {4}((?:\w+\/)[\w./-]+\.ts)$/.exec(line)?.[1] ?? []);
  t.ok(files.length > 10 && files.length <= longestPath, `${files.length} files`);
  t.equal(new Set(files).size, files.length, 'none twice');
  t.same(
    files.filter(file => !documentExists(file)),
    [],
  );
});
