/** Kanäle. */
import type { StudioTexts } from '../en/index.ts';

export const channels: StudioTexts['channels'] = {
  title: 'Kanäle',
  about: 'Wie Teilnehmer und Ihr Team einander erreichen.',
  create: 'Kanal anlegen',
  name: 'Name',
  kind: 'Art',
  kinds: { sandbox: 'Sandbox', custom: 'Eigener', chatapp: 'Chat-App' },
  kindHints: {
    sandbox: 'Sie spielen den Teilnehmer, im Browser oder über die API. Kein Anbieter, keine Kosten.',
    custom: 'Ihr eigenes Programm bringt Nachrichten herein und übernimmt die, die gesendet werden sollen.',
    chatapp: 'Ein Geschäftskonto des Chat-Anbieters: Dessen Nutzer schreiben Ihnen dort.',
  },
  status: 'Zustand',
  states: {
    connected: 'Verbunden',
    connecting: 'Verbindet',
    disconnected: 'Nicht verbunden',
    error: 'Braucht Aufmerksamkeit',
  },
  changed: 'Geändert',
  created: 'Angelegt',
  agent: 'Agent',
  noAgent: 'Nur Menschen',
  copyId: 'ID kopieren',
  missing: 'Diesen Kanal gibt es nicht',
  none: 'Noch kein Kanal',
  noneHint: 'Beginnen Sie mit einem Sandbox-Kanal: Darauf lässt sich alles ohne Anbieter ausprobieren.',
  tryTitle: 'Ausprobieren',
  try: {
    participant: 'Teilnehmer',
    participantHint: 'Ein beliebiger Name.',
    body: 'Nachricht',
    send: 'Als Teilnehmer senden',
    conversation: 'Die Unterhaltung',
    toConsole: 'In der Konsole antworten',
  },
  commands: 'Zu senden',
  command: 'Befehl',
  at: 'Wann',
  data: 'Inhalt',
  show: 'Zeigen',
  noCommands:
    'Nichts wartet auf Ihr Programm. Antworten Sie in der Konsole auf eine Unterhaltung dieses Kanals, und es erscheint hier.',
};
