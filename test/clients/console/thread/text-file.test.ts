/** Files of text: which they are, and how their bytes read. */
import t from 'tap';
import { decodeTextFile, isTextFile, shownBytes } from '../../../../clients/console/thread/text-file.ts';

t.test('text, tables and JSON are read here, and what a browser would run is not', async t => {
  const isRead = (mimeType: string) => isTextFile({ kind: 'document', mimeType });
  for (const type of ['text/plain', 'Text/CSV; charset=utf-8', 'application/json']) t.ok(isRead(type), type);
  for (const type of ['text/html', 'image/svg+xml', 'application/pdf', '']) t.notOk(isRead(type), type);
  t.notOk(isTextFile({ kind: 'image', mimeType: 'text/plain' }));
});

t.test('bytes read by their byte order mark, and end before a character that was cut', async t => {
  const utf8 = new TextEncoder().encode('\uFEFFGrüße');
  t.strictSame(decodeTextFile(utf8), { text: 'Grüße', isCut: false });
  const utf16 = new Uint8Array(Buffer.from('\uFEFFGrüße', 'utf16le'));
  t.strictSame(decodeTextFile(utf16), { text: 'Grüße', isCut: false });
  const long = new TextEncoder().encode(`${'x'.repeat(shownBytes - 1)}ü`);
  t.strictSame(decodeTextFile(long), { text: 'x'.repeat(shownBytes - 1), isCut: true });
});
