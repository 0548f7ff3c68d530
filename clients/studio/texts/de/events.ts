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
  toMessage: 'Was aus der Nachricht wurde',
  none: 'Es ist noch nichts geschehen. Schreiben Sie auf einem Kanal: Was geschieht, erscheint hier.',
  noneFound: 'Mit diesen Filtern findet sich nichts.',
  person: {
    open: 'Daten einer Person',
    title: 'Was über eine Person bekannt ist',
    about:
      'Eine Kopie für jemanden, der danach fragt: Name und Felder, Nachrichten, Notizen und Agentenläufe dieser Umgebung, ein JSON-Objekt je Zeile.',
    name: 'Person oder Unterhaltung',
    nameHint: 'Eine Telefonnummer oder ein Name, wie der Kanal sie kennt, oder die ID einer Unterhaltung.',
    save: 'Als Datei speichern',
    found: (name, conversations) =>
      conversations === 0
        ? `In dieser Umgebung gibt es keine Unterhaltung mit ${name}.`
        : `Gespeichert: ${conversations === 1 ? 'eine Unterhaltung' : `${conversations} Unterhaltungen`}.`,
  },
};
