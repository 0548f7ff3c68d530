/** Ein Gespräch: seine Nachrichten, was geschrieben wird, der Agent daneben, und wer darin schreibt. */
import type { thread as english } from '../en/thread.ts';
import { agent, run, timeline } from './agent.ts';
import { composer, templates } from './composer.ts';
import { message, content, files, note, events } from './message.ts';
import { agentModes } from './modes.ts';
import { participant } from './participant.ts';

export const thread: typeof english = {
  none: 'Kein Gespräch ausgewählt',
  noneHint: 'Wählen Sie eines aus der Liste, oder gehen Sie mit J und K hindurch.',
  loading: 'Das Gespräch wird gelesen',
  failed: 'Das Gespräch konnte nicht gelesen werden.',
  notFound: 'Dieses Gespräch gibt es nicht, oder Sie dürfen es nicht sehen.',
  readAgain: 'Noch einmal versuchen',
  back: 'Zurück zur Liste',
  you: 'Sie',
  nameless: id => `Person ${id}`,
  nobody: 'Niemand',
  erased: at =>
    `Die persönlichen Daten dieses Gesprächs wurden am ${at} gelöscht. Was davor geschrieben wurde, ist nicht mehr lesbar.`,
  dismiss: 'Ausblenden',
  status: { open: 'Offen', closed: 'Geschlossen', archived: 'Archiviert' },
  header: {
    mode: 'Modus des Agenten',
    modes: agentModes,
    assign: 'Zuweisen',
    assignTo: name => `Zugewiesen an ${name}`,
    unassign: 'Niemandem zuweisen',
    assignToMe: 'Mir zuweisen',
    close: 'Schließen',
    reopen: 'Wieder öffnen',
    more: 'Mehr',
    archive: 'Archivieren',
    snooze: 'Zurückstellen',
    snoozeFor: {
      hour: 'Für eine Stunde',
      evening: 'Bis zum Abend',
      tomorrow: 'Bis morgen früh',
      week: 'Für eine Woche',
    },
    snoozeOwn: 'Bis zu einem Zeitpunkt …',
    snoozeUntil: 'Zurückstellen bis',
    snoozeTime: 'Datum und Uhrzeit',
    badSnoozeTime: 'Wählen Sie einen Zeitpunkt in der Zukunft, innerhalb eines Jahres.',
    wake: 'Wecken',
    snoozedUntil: at => `Zurückgestellt bis ${at}`,
    restore: 'Aus dem Archiv holen',
    copyLink: 'Link kopieren',
    details: 'Teilnehmer und Einzelheiten',
    windowCloses: left => `Fenster schließt in ${left}`,
    windowClosed: 'Fenster geschlossen',
    takenOver: (by, to) =>
      by === to ? `${by} hat dieses Gespräch übernommen.` : `${by} hat dieses Gespräch ${to} zugewiesen.`,
    closedBy: by => `${by} hat dieses Gespräch geschlossen.`,
  },
  list: {
    label: 'Nachrichten',
    earlier: 'Frühere Nachrichten werden gelesen',
    later: 'Spätere Nachrichten werden gelesen',
    empty: 'Noch keine Nachrichten. Was Sie unten schreiben, ist die erste.',
    newMessages: 'Neu',
    jump: 'Zur neuesten Nachricht',
    jumpWithCount: count => (count === 1 ? '1 neue Nachricht' : `${count} neue Nachrichten`),
    announced: (author, text) => `${author}: ${text}`,
  },
  message,
  content,
  files,
  note,
  events,
  composer,
  templates,
  agent,
  run,
  timeline,
  participant,
};
