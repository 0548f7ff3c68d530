/** Files that the customers of the demonstration send: a picture, an invoice and a voice message, made here. */
import { crc32, deflateSync } from 'node:zlib';

/** A file as a customer sends it. */
export interface CustomerFile {
  readonly kind: 'image' | 'document' | 'audio';
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type Color = readonly [red: number, green: number, blue: number];

const pictureSize = { width: 480, height: 360 };
const colors = {
  wall: [226, 219, 206],
  table: [164, 122, 86],
  cup: [58, 110, 165],
  shade: [44, 84, 128],
  crack: [24, 30, 38],
} as const satisfies Record<string, Color>;

/** How far to the right the crack is, at each height: it zigzags. */
const crackAt = (y: number): number => 222 + Math.abs((y % 36) - 18) + (y - 110) / 6;

/** A blue cup with a crack, on a table. */
function paintCup(x: number, y: number): Color {
  const isCup = y > 110 && y < 270 && Math.abs(x - 225) < 80 - (y - 110) / 10;
  const handle = Math.hypot(x - 305, (y - 180) * 0.9);
  if (isCup && y < 230 && Math.abs(x - crackAt(y)) < 2) return colors.crack;
  if (isCup) return x < 175 || y < 122 ? colors.shade : colors.cup;
  if (handle > 24 && handle < 40 && x > 285) return colors.shade;
  return y > 250 ? colors.table : colors.wall;
}

function createPicture(): Uint8Array<ArrayBuffer> {
  const { width, height } = pictureSize;
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y++) {
    // Each row begins with its filter, here none.
    for (let x = 0; x < width; x++) rows.set(paintCup(x, y), y * (1 + 3 * width) + 1 + 3 * x);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits for each of three colours.
  head.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    createChunk('IHDR', head),
    createChunk('IDAT', deflateSync(rows)),
    createChunk('IEND', Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat([signature, ...chunks]));
}

/** A part of a PNG (https://www.w3.org/TR/png-3/#5Chunk-layout). */
function createChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** A page with the lines, in the smallest PDF that readers take. */
function createPdf(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const text = `BT /F1 14 Tf 72 760 Td 22 TL ${lines.map(line => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let pdf = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(pdf.length);
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const places = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${places}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(pdf + end, 'latin1'));
}

/** Two seconds in which a tone rises and falls, as a voice does. */
function createVoice(): Uint8Array<ArrayBuffer> {
  const rate = 8_000;
  const samples = 2 * rate;
  const wav = Buffer.alloc(44 + samples);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  // PCM, one channel, a byte for each sample.
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples, 40);
  let phase = 0;
  for (let index = 0; index < samples; index++) {
    const seconds = index / rate;
    phase += (2 * Math.PI * (180 + 60 * Math.sin(seconds * 7))) / rate;
    wav[44 + index] = 128 + 60 * Math.abs(Math.sin(seconds * 9)) * Math.sin(phase);
  }
  return new Uint8Array(wav);
}

const invoice = [
  'Harbour Goods',
  'Invoice 2026-1187',
  '1 desk lamp, white            49.90',
  'Billed to: Martin SARL',
  'Thank you for your order.',
];

export const customerFiles = {
  cup: { kind: 'image', filename: 'broken-cup.png', mimeType: 'image/png', bytes: createPicture() },
  invoice: {
    kind: 'document',
    filename: 'invoice-2026-1187.pdf',
    mimeType: 'application/pdf',
    bytes: createPdf(invoice),
  },
  voice: { kind: 'audio', filename: 'voice-message.wav', mimeType: 'audio/wav', bytes: createVoice() },
} as const satisfies Record<string, CustomerFile>;
