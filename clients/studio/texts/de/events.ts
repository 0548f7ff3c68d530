/** Das Protokoll der Ereignisse. */
import type { StudioTexts } from '../en/index.ts';

export const events: StudioTexts['events'] = {
  title: 'Ereignisse',
  about:
    'Alles, was in dieser Umgebung geschehen ist, das Neueste zuerst. Webhooks und der Live-Strom tragen dasselbe.',
  event: 'Ereignis',
  name: 'Name',
  at: 'Wann',
  thread: 'Unterhaltung',
  live: 'Live',
  payload: 'Das Ereignis',
  none: 'Es ist noch nichts geschehen. Schreiben Sie auf einem Kanal: Was geschieht, erscheint hier.',
  noneFound: 'Mit diesen Filtern findet sich nichts.',
};
