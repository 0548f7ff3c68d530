/** Files of messages: pictures in a viewer, audio and video in place, and everything else as a download that runs nowhere. */
import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import t from 'tap';
import type { AttachmentInput } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);

/** A picture of one colour. */
function createPng(size: number): Uint8Array<ArrayBuffer> {
  const chunk = (type: string, data: Buffer): Buffer => {
    const typed = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2], 8);
  const pixels = deflateSync(Buffer.alloc(size * (1 + 3 * size), 120));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const png = [signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat(png));
}

function crc32(bytes: Buffer): number {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** Half a second of silence. */
function createWav(): Uint8Array<ArrayBuffer> {
  const samples = 4_000;
  const wav = Buffer.alloc(44 + samples, 128);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8_000, 24);
  wav.writeUInt32LE(8_000, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples, 40);
  return new Uint8Array(wav);
}

async function attach(
  kind: AttachmentInput['kind'],
  filename: string,
  type: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<AttachmentInput> {
  const attachmentId = await skein.attachments.upload(new Blob([content], { type }), { filename });
  return { kind, attachmentId };
}

const path = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;

t.test('pictures open in a viewer, one after the other; audio plays in place', async t => {
  const threadId = await receive(setting, 'media', 'Look:');
  const attachments = [
    await attach('image', 'one.png', 'image/png', createPng(40)),
    await attach('image', 'two.png', 'image/png', createPng(60)),
    await attach('audio', 'voice.wav', 'audio/wav', createWav()),
  ];
  await skein.messages.create(threadId, { direction: 'inbound', body: 'Three files', attachments });
  const page = await openConsole(t, browser, setting, owner, { path: path(threadId) });
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByRole('button', { name: 'Open one.png' }).click();
  const viewer = page.getByRole('dialog', { name: 'one.png' });
  const getWidth = (name: string): Promise<number> =>
    page
      .getByRole('dialog')
      .getByRole('img', { name })
      .evaluate(async image => {
        const shown = image as unknown as { decode(): Promise<void>; naturalWidth: number };
        await shown.decode();
        return shown.naturalWidth;
      });
  await viewer.waitFor();
  t.equal(await getWidth('one.png'), 40);
  t.strictSame(await findBarriers(page), []);
  await page.keyboard.press('ArrowRight');
  t.equal(await getWidth('two.png'), 60);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const sound = log.getByLabel('voice.wav');
  const ended = sound.evaluate(async element => {
    const media = element as unknown as {
      controls: boolean;
      muted: boolean;
      play(): Promise<void>;
      onended: (() => void) | null;
      readonly currentTime: number;
    };
    if (!media.controls) throw new Error('the player has no controls');
    media.muted = true;
    const end = new Promise<void>(resolve => (media.onended = resolve));
    await media.play();
    await end;
    return media.currentTime;
  });
  t.ok((await ended) > 0.4, 'it has played');
});

t.test('text is read as text: plain, a table, JSON, a long one, and one that would be a page', async t => {
  const threadId = await receive(setting, 'text', 'Look:');
  const script = '<script>document.title = "taken"</script>';
  const attachments = [
    await attach('document', 'notes.txt', 'text/plain', `Grüße\n${script}\u202Egnp`),
    await attach('document', 'orders.csv', 'text/csv', 'order,total\nA17,12.50\n'),
    await attach('document', 'order.json', 'application/json', '{"order":"A17"}'),
    await attach('document', 'log.txt', 'text/plain', `${'x'.repeat(99_999)}end and more`),
    await attach('document', 'page.html', 'text/html', script),
  ];
  await skein.messages.create(threadId, { direction: 'inbound', body: 'Five files', attachments });
  const page = await openConsole(t, browser, setting, owner, { path: path(threadId) });
  const log = page.getByRole('log', { name: 'Messages' });
  const read = async (name: string): Promise<string | null> => {
    await log.getByRole('button', { name: `Open ${name}` }).click();
    const shown = page.getByRole('dialog', { name }).locator('pre');
    const text = await shown.textContent();
    t.strictSame(await findBarriers(page), [], name);
    if (name === 'log.txt') await page.getByText('These are its first 100 kB.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return text;
  };
  t.equal(await read('notes.txt'), `Grüße\n${script}\u202Egnp`);
  t.equal(await read('orders.csv'), 'order,total\nA17,12.50\n');
  t.equal(await read('order.json'), '{"order":"A17"}');
  t.equal(await read('log.txt'), `${'x'.repeat(99_999)}e`);
  t.equal(await log.getByRole('button', { name: 'Open page.html' }).count(), 0);
  t.notMatch(await page.title(), /taken/);
});

t.test('what cannot be played says so, and is offered as a file', async t => {
  const threadId = await receive(setting, 'broken', 'Look:');
  const noise = 'not at all what it says '.repeat(200);
  const attachments = [
    await attach('video', 'film.mp4', 'video/mp4', noise),
    await attach('audio', 'voice.ogg', 'audio/ogg', noise),
    await attach('document', `bill\u202Efdp${'x'.repeat(120)}.exe`, 'application/pdf', '%PDF-1.4'),
  ];
  await skein.messages.create(threadId, { direction: 'inbound', body: 'Three files', attachments });
  const page = await openConsole(t, browser, setting, owner, { path: path(threadId) });
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByRole('link', { name: 'film.mp4' }).waitFor();
  await log.getByText('It cannot be played here').waitFor();
  const sound = log.getByLabel('voice.ogg');
  await sound.evaluate(
    element => void (element as unknown as { play(): Promise<void> }).play().catch(() => 0),
  );
  const link = log.getByRole('link', { name: 'voice.ogg' });
  const downloading = page.waitForEvent('download');
  await link.click();
  t.equal((await downloading).suggestedFilename(), 'voice.ogg');
  t.equal(await log.getByText('It cannot be played here').count(), 2);
  t.notMatch(await log.innerHTML(), /\u202e/, 'a name turns no direction');
  const icon = await log
    .getByRole('link', { name: /billfdp/ })
    .locator('svg')
    .boundingBox();
  t.equal(icon?.width, 18, 'its icon is as wide as any');
  t.strictSame(await findBarriers(page), []);
});

t.test(
  'whatever a participant sends as a document is saved, and never opened as a page of this site',
  async t => {
    const threadId = await receive(setting, 'hostile', 'Look:');
    const script = '<script>document.title = "taken"; localStorage.taken = 1</script>';
    const attachments = [
      await attach('document', 'bill.html', 'text/html', script),
      await attach(
        'document',
        'bill.svg',
        'image/svg+xml',
        `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
      ),
      await attach('document', 'bill.pdf', 'application/pdf', '%PDF-1.4'),
      await attach(
        'image',
        'drawing.svg',
        'image/svg+xml',
        `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
      ),
    ];
    await skein.messages.create(threadId, { direction: 'inbound', body: 'Four files', attachments });
    const page = await openConsole(t, browser, setting, owner, { path: path(threadId) });
    const log = page.getByRole('log', { name: 'Messages' });
    for (const name of ['bill.html', 'bill.svg', 'bill.pdf']) {
      const link = log.getByRole('link', { name });
      await link.and(page.locator('[href]')).waitFor();
      const downloading = page.waitForEvent('download');
      await link.click();
      const download = await downloading;
      t.equal(download.suggestedFilename(), name);
      if (name === 'bill.html')
        t.equal(await readFile(await download.path(), 'utf8'), script, 'as it was sent');
    }
    // Also where somebody opens its address, as the browser of a colleague to whom it was sent.
    const href = await log.getByRole('link', { name: 'bill.html' }).getAttribute('href');
    const { headers } = await fetch(new URL(href ?? '', setting.baseUrl));
    t.match(headers.get('content-disposition'), /^attachment/);
    t.match(headers.get('content-security-policy'), /^sandbox; default-src 'none'/);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(page.context().pages().length, 1, 'no other page was opened');
    t.notMatch(await page.title(), /taken/);
    t.equal(await page.evaluate('localStorage.taken'), undefined);
  },
);

t.test(
  'a participant is shown by the picture that is kept of them, and by letters where it cannot be',
  async t => {
    const threadId = await receive(setting, 'pictured', 'Here I am', 'Ada Lovelace');
    const { attachmentId = '' } = await attach('image', 'ada.png', 'image/png', createPng(8));
    await skein.threads.update(threadId, { participant: { attributes: { picture: attachmentId } } });
    const page = await openConsole(t, browser, setting, owner, { path: path(threadId) });
    const picture = page.locator('header img[alt=""]');
    await picture.waitFor();
    t.equal(await picture.evaluate(each => (each as unknown as { naturalWidth: number }).naturalWidth), 8);
    t.equal(new URL((await picture.getAttribute('src')) ?? '').origin, setting.baseUrl, 'a signed address');
    t.strictSame(await findBarriers(page), []);

    const { attachmentId: noPicture = '' } = await attach('document', 'ada.txt', 'text/plain', 'None');
    await skein.threads.update(threadId, { participant: { attributes: { picture: noPicture } } });
    await picture.waitFor({ state: 'detached' });
    await page.locator('header [data-initials="AL"]').waitFor();
  },
);
