/** Der Rahmen um alles: wo man arbeitet, wie die Verbindung steht, wer angemeldet ist. */
import type { shell as english } from '../en/shell.ts';

export const shell: typeof english = {
  appName: 'Konsole',
  noProject: 'Sie gehören noch zu keinem Projekt. Bitten Sie jemanden, der Ihren Arbeitsbereich verwaltet.',
  notAllowed: 'Sie dürfen in diesem Projekt nicht arbeiten.',
  notAllowedHint:
    'Sie haben darin keine Rolle, oder keine mehr. Wenn das ein Versehen ist, fragen Sie jemanden, der Ihren Arbeitsbereich verwaltet.',
  elsewhere: 'Zu einem anderen Projekt',
  menu: 'Warteschlangen und Projekte',
  queuesLabel: 'Warteschlangen',
  queues: {
    mine: 'Meine',
    unassigned: 'Nicht zugewiesen',
    all: 'Alle offenen',
    approval: 'Freizugeben',
    waiting: 'Warten am längsten',
    closing: 'Fenster schließt bald',
    failed: 'Nicht gesendet',
    paused: 'Agent pausiert',
    closed: 'Geschlossen',
    snoozed: 'Zurückgestellt',
    search: 'Ergebnisse',
  },
  connection: {
    online: 'Online',
    connecting: 'Verbindet neu',
    waiting: seconds => `Verbindet neu in ${seconds} s`,
    catchingUp: left => `Holt auf (${left})`,
    reset: 'Liest alles neu',
    polling: seconds => `Keine Live-Verbindung: liest alle ${seconds} s neu`,
    pollingHint:
      'Der Server antwortet, aber auf dem Weg dorthin wird keine Live-Verbindung durchgelassen. Sie können wie immer arbeiten und senden; was andere tun, sehen Sie etwas später. Wer Ihr Netzwerk verwaltet, kann Websockets zu dieser Adresse zulassen.',
    offline: 'Offline: kein Netzwerk',
    ended: 'Getrennt: bitte neu anmelden',
    unsent: count =>
      count === 1 ? '1 Nachricht wartet auf Versand' : `${count} Nachrichten warten auf Versand`,
    refused: count => `${count} nicht gesendet`,
    unsentElsewhere: count =>
      count === 1
        ? '1 in einer anderen Umgebung nicht gesendet'
        : `${count} in anderen Umgebungen nicht gesendet`,
  },
  damaged: {
    title: count =>
      count === 1
        ? '1 Nachricht ist beschädigt und wurde nicht gesendet'
        : `${count} Nachrichten sind beschädigt und wurden nicht gesendet`,
    hint: 'Dieser Browser hatte sie bis zum Versand aufbewahrt und kann sie nicht mehr lesen. Bitte senden Sie sie noch einmal.',
    text: 'Was noch lesbar ist, zum Kopieren',
    dismiss: 'Verstanden',
  },
  signOutUnsent:
    'Ein Teil dessen, was Sie geschrieben haben, ist noch nicht gesendet. Beim Abmelden wird es verworfen. Trotzdem abmelden?',
  missingFiles:
    'Ein Teil dieser Seite konnte nicht geladen werden: Vielleicht gibt es eine neuere Version, oder die Verbindung fehlt. Was Sie geschrieben haben, bleibt erhalten.',
  settings: 'Einstellungen',
  shortcuts: {
    title: 'Tastatur',
    of: {
      next: 'Nächstes Gespräch',
      previous: 'Voriges Gespräch',
      select: 'Auswählen, um mehrere zu ändern',
      range: 'Alle bis zum offenen auswählen',
      filter: 'Liste filtern',
      assignTo: 'Jemandem zuweisen',
      archive: 'Archivieren oder zurückholen',
      snooze: 'Zurückstellen',
      tag: 'Schlagwort hinzufügen',
      mode: 'Modus des Agenten',
      approve: 'Vorschlag freigeben',
      edit: 'Vorschlag bearbeiten',
      discard: 'Vorschlag verwerfen',
      takeOver: 'Vom Agenten übernehmen',
      allow: 'Werkzeug erlauben',
      refuse: 'Werkzeug ablehnen',
      leave: 'Verlassen, was offen ist',
      assign: 'Sich selbst zuweisen',
      close: 'Schließen oder wieder öffnen',
      details: 'Teilnehmer und Einzelheiten',
      reply: 'Antwort schreiben',
      note: 'Notiz schreiben',
      canned: 'Textbausteine, beim Schreiben',
      send: 'Senden',
      search: 'Suchen und überall hin',
      help: 'Diese Liste',
    },
  },
};
