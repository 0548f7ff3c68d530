/** Notizen, die jemanden erwähnen. */
import type { mentions as english } from '../en/mentions.ts';

export const mentions: typeof english = {
  title: 'Erwähnungen',
  none: 'Noch erwähnt Sie keine Notiz. Mit @ und Ihrem Namen werden Sie erwähnt.',
  reading: 'Ihre Erwähnungen werden gelesen',
  failed: 'Ihre Erwähnungen konnten nicht gelesen werden.',
  readAgain: 'Noch einmal versuchen',
  readAll: 'Alle als gelesen markieren',
  more: 'Mehr zeigen',
  unread: 'Ungelesen',
  by: (author, participant) => `${author}, zu ${participant}`,
  mentionedBy: author => `${author} erwähnt Sie`,
  open: 'Gespräch öffnen',
  dismiss: 'Ausblenden',
};
