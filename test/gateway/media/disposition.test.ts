import t from 'tap';
import { toDisposition } from '../../../gateway/media/disposition.ts';
import fc from '../../support/fuzz.ts';

const form = /^attachment; filename="([ -~]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/;

t.test('whatever a file is called, the header is one line, and names no path', async () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 60 }).filter(text => text.isWellFormed());
  fc.assert(
    fc.property(name, filename => {
      const [header, plain = '', exact = ''] = form.exec(toDisposition(filename)) ?? [];
      if (header === undefined) throw new Error(`no header for ${filename}`);
      if (/["\\/%;]/.test(plain)) throw new Error(`a client could misread ${plain}`);
      const decoded = decodeURIComponent(exact);
      if (decoded !== filename.replaceAll(/[\\/]/g, '_')) throw new Error(`${filename} became ${decoded}`);
    }),
    { numRuns: 300 },
  );
});
