/** Files that the customers of the demonstration send: a picture, an invoice and a voice message. */
import { readFileSync } from 'node:fs';

export interface CustomerFile {
  readonly kind: 'image' | 'document' | 'audio';
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function read(kind: CustomerFile['kind'], filename: string, mimeType: string): CustomerFile {
  const bytes = new Uint8Array(readFileSync(new URL(`./files/${filename}`, import.meta.url)));
  return { kind, filename, mimeType, bytes };
}

export const customerFiles = {
  cup: read('image', 'broken-cup.png', 'image/png'),
  invoice: read('document', 'invoice-2026-1187.pdf', 'application/pdf'),
  voice: read('audio', 'voice-message.wav', 'audio/wav'),
};
