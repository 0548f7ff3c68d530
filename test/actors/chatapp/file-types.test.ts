import t from 'tap';
import { mayBeOfType } from '../../../actors/chatapp/file-types.ts';

const heads: Readonly<Record<string, Buffer>> = {
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]),
  'image/webp': Buffer.from('RIFF\0\0\0\0WEBPVP8 '),
  'audio/ogg; codecs=opus': Buffer.from('OggS\0\u0002'),
  'audio/amr': Buffer.from('#!AMR\n'),
  'audio/mpeg': Buffer.from('ID3\u0004'),
  'video/mp4': Buffer.from('\0\0\0\u0018ftypisom'),
  'application/pdf': Buffer.from('%PDF-1.7'),
};

t.test('a file has the type that its first bytes say, and no other', t => {
  for (const [mimeType, head] of Object.entries(heads)) {
    for (const other of Object.keys(heads)) {
      t.equal(mayBeOfType(head, other), mimeType === other, `${mimeType} as ${other}`);
    }
    t.notOk(mayBeOfType(Buffer.from('<!doctype html>'), mimeType), `a page as ${mimeType}`);
    t.notOk(mayBeOfType(Buffer.from(''), mimeType), `nothing as ${mimeType}`);
  }
  t.ok(mayBeOfType(Buffer.from([0xff, 0xfb, 0x90]), 'audio/mpeg'), 'without a tag');
  t.ok(mayBeOfType(Buffer.from([0xff, 0xf1, 0x50]), 'audio/aac'));
  t.ok(mayBeOfType(Buffer.from('anything'), 'text/csv'), 'of other types nothing is known');
  t.ok(mayBeOfType(Buffer.from('anything'), 'constructor'));
  t.end();
});
