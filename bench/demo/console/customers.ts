/** The customers of the demonstration: their names, their questions, and how they go on when they get answers. */
import { readFileSync } from 'node:fs';

/** A picture, an invoice or a voice message that a customer sends. */
interface CustomerFile {
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

export interface Customer {
  /** Their name in the channel: a word, or on the chat channel their number. */
  readonly ref: string;
  readonly displayName: string;
  /** BCP 47. */
  readonly locale: string;
  readonly asks: string;
  /** Their next messages, one after each answer. */
  readonly goesOn: readonly string[];
  /** Sent with the first question. */
  readonly file?: CustomerFile;
  /** Waits for an answer as long as it takes, so that the conversation stays as it is. */
  readonly isPatient?: boolean;
  /** When they wrote over the chat channel: minutes ago. Absent: they write over the app of the shop. */
  readonly wroteOverChat?: number;
}

const toRef = (displayName: string): string =>
  displayName
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z]+/g, '-');

/** Customers who answer soon, or else ask again. All others are patient. */
const impatient = ['Maya', 'Amara', 'Noah', 'Olivia', 'Mateus', 'Freja', 'Emma'];

const details: Readonly<Record<string, Partial<Pick<Customer, 'ref' | 'file' | 'wroteOverChat'>>>> = {
  'Yuki Tanaka': { file: customerFiles.cup },
  'Ibrahim Yılmaz': { file: customerFiles.voice },
  'Chloé Martin': { file: customerFiles.invoice },
  'Grace Kim': { ref: '821055501234', wroteOverChat: 22 * 60 + 40 },
  'Tomás Herrera': { ref: '525555500199', wroteOverChat: 26 * 60 },
};

/** A line for each: name, locale, question, and how they go on. */
const lines = `
Maya Lindqvist | sv-SE | Hello, where is my order? It should have come on Friday. | The number is A17. | Thank you, that helps!
Jonas Weber | de-DE | I would like a refund for order D58, the blue jacket. It does not fit. | When will it be on my card? | Great, thanks.
Amara Okafor | en-NG | Can I change the delivery address of order C31? | To 12 Marina Road, Lagos. | Perfect.
Lucía Fernández | es-ES | The discount code AUTUMN does not work in the basket. | I get "code has expired". | Now it works. Gracias!
Noah Tremblay | fr-CA | Is the lamp in stock again? | Two of them, in white. | I will wait for your message then.
Yuki Tanaka | ja-JP | My parcel arrived, but one cup is broken. Here is a photo. | Do I have to send the pieces back? | A new cup would be fine.
Olivia Brown | en-GB | How long does delivery to Scotland take? | And on a Saturday? | Brilliant, I will order today.
Mateus Silva | pt-BR | I was charged twice for the same order! | On the 14th, both times 49.90. | I see one of them is pending. Thanks.
Freja Nielsen | da-DK | Please cancel my order, I took the wrong size. | M instead of L. | Yes, order the right one for me.
Ibrahim Yılmaz | tr-TR | Do you repair watches that were bought somewhere else? It makes this sound. | A diver from 1978. | Then I will bring it in on Tuesday.
Chloé Martin | fr-FR | The invoice of my last order has the wrong company name. | It is Martin et Fils SARL. | Merci, received.
Liam O’Connor | en-IE | The app signs me out all the time. | An Android phone, version 14. | That has solved it.
Sofia Rossi | it-IT | Can I return something that I have bought on sale? | It is unopened.
Arjun Patel | hi-IN | Which of the two routers is better for a house with three floors? | About 200 square metres. | I will take that one.
Emma Novak | cs-CZ | I have not got the e-mail to set a new password. | Not in the spam folder either. | Now it came, thank you.
David Cohen | he-IL | Do you ship to Haifa? | Two boxes, 14 kg. | That is more than I thought.
Anna Kowalska | pl-PL | Where is my order B42? The tracking has not moved for three days. | Can I collect it from the shop instead? | I hope so!
Hugo Bernard | fr-BE | I would like to speak to a person, please. | It is about a complaint of last month. | Thank you for calling me back.
Grace Kim | ko-KR | Is the warranty two or three years? | Bought in March. | Great.
Tomás Herrera | es-MX | Your courier left my parcel with a neighbour that I do not have. | There is no number 9 in my street. | Please do, it was a present.`;

export const customers: readonly Customer[] = lines
  .trim()
  .split('\n')
  .map(line => {
    const [displayName = '', locale = '', asks = '', ...goesOn] = line.split(' | ');
    const isPatient = !impatient.some(name => displayName.startsWith(name));
    const ref = toRef(displayName);
    return { ref, displayName, locale, asks, goesOn, isPatient, ...details[displayName] };
  });
