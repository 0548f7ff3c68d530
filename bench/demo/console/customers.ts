/** The customers of the demonstration: who they are, what they ask, and how they go on when they are answered. */
import { type CustomerFile, customerFiles } from './files.ts';

export interface Customer {
  /** How the channel names them: by a word, or on the chat channel by their number. */
  readonly ref: string;
  readonly displayName: string;
  /** BCP 47. */
  readonly locale: string;
  readonly asks: string;
  /** What they say next, an answer at a time. */
  readonly goesOn: readonly string[];
  /** Sent with what they ask. */
  readonly file?: CustomerFile;
  /** Waits for an answer as long as it takes, so that the conversation stays as it is until somebody answers. */
  readonly isPatient?: boolean;
  /** How long ago they wrote over the chat channel, in minutes. Absent: they write over the app of the shop. */
  readonly wroteOverChat?: number;
}

type Details = Partial<Pick<Customer, 'ref' | 'file' | 'isPatient' | 'wroteOverChat'>>;

const toRef = (displayName: string): string =>
  displayName
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z]+/g, '-');

const customer = (
  displayName: string,
  locale: string,
  details: Details,
  asks: string,
  ...goesOn: readonly string[]
): Customer => ({ ref: toRef(displayName), displayName, locale, asks, goesOn, ...details });

const patient = { isPatient: true } as const;

export const customers: readonly Customer[] = [
  customer(
    'Maya Lindqvist',
    'sv-SE',
    {},
    'Hello, where is my order? It should have come on Friday.',
    'The number is A17.',
    'Thank you, that helps!',
  ),
  customer(
    'Jonas Weber',
    'de-DE',
    patient,
    'I would like a refund for order D58, the blue jacket. It does not fit.',
    'When will it be on my card?',
    'Great, thanks.',
  ),
  customer(
    'Amara Okafor',
    'en-NG',
    {},
    'Can I change the delivery address of order C31?',
    'To 12 Marina Road, Lagos.',
    'Perfect.',
  ),
  customer(
    'Lucía Fernández',
    'es-ES',
    patient,
    'The discount code AUTUMN does not work in the basket.',
    'I get "code has expired".',
    'Now it works. Gracias!',
  ),
  customer(
    'Noah Tremblay',
    'fr-CA',
    {},
    'Is the lamp in stock again?',
    'Two of them, in white.',
    'I will wait for your message then.',
  ),
  customer(
    'Yuki Tanaka',
    'ja-JP',
    { ...patient, file: customerFiles.cup },
    'My parcel arrived, but one cup is broken. Here is a photo.',
    'Do I have to send the pieces back?',
    'A new cup would be fine.',
  ),
  customer(
    'Olivia Brown',
    'en-GB',
    {},
    'How long does delivery to Scotland take?',
    'And on a Saturday?',
    'Brilliant, I will order today.',
  ),
  customer(
    'Mateus Silva',
    'pt-BR',
    {},
    'I was charged twice for the same order!',
    'On the 14th, both times 49.90.',
    'I see one of them is pending. Thanks.',
  ),
  customer(
    'Freja Nielsen',
    'da-DK',
    {},
    'Please cancel my order, I took the wrong size.',
    'M instead of L.',
    'Yes, order the right one for me.',
  ),
  customer(
    'Ibrahim Yılmaz',
    'tr-TR',
    { ...patient, file: customerFiles.voice },
    'Do you repair watches that were bought somewhere else? It makes this sound.',
    'A diver from 1978.',
    'Then I will bring it in on Tuesday.',
  ),
  customer(
    'Chloé Martin',
    'fr-FR',
    { ...patient, file: customerFiles.invoice },
    'The invoice of my last order has the wrong company name.',
    'It is Martin et Fils SARL.',
    'Merci, received.',
  ),
  customer(
    'Liam O’Connor',
    'en-IE',
    patient,
    'The app signs me out all the time.',
    'An Android phone, version 14.',
    'That has solved it.',
  ),
  customer(
    'Sofia Rossi',
    'it-IT',
    patient,
    'Can I return something that I have bought on sale?',
    'It is unopened.',
    'Good to know.',
  ),
  customer(
    'Arjun Patel',
    'hi-IN',
    patient,
    'Which of the two routers is better for a house with three floors?',
    'About 200 square metres.',
    'I will take that one.',
  ),
  customer(
    'Emma Novak',
    'cs-CZ',
    {},
    'I have not got the e-mail to set a new password.',
    'Not in the spam folder either.',
    'Now it came, thank you.',
  ),
  customer(
    'David Cohen',
    'he-IL',
    patient,
    'Do you ship to Haifa?',
    'Two boxes, 14 kg.',
    'That is more than I thought.',
  ),
  customer(
    'Anna Kowalska',
    'pl-PL',
    patient,
    'Where is my order B42? The tracking has not moved for three days.',
    'Can I collect it from the shop instead?',
    'I hope so!',
  ),
  customer(
    'Hugo Bernard',
    'fr-BE',
    patient,
    'I would like to speak to a person, please.',
    'It is about a complaint of last month.',
    'Thank you for calling me back.',
  ),
  customer(
    'Grace Kim',
    'ko-KR',
    { ...patient, ref: '821055501234', wroteOverChat: 22 * 60 + 40 },
    'Is the warranty two or three years?',
    'Bought in March.',
    'Great.',
  ),
  customer(
    'Tomás Herrera',
    'es-MX',
    { ...patient, ref: '525555500199', wroteOverChat: 26 * 60 },
    'Your courier left my parcel with a neighbour that I do not have.',
    'There is no number 9 in my street.',
    'Please do, it was a present.',
  ),
];
