/** Was in einem Gespräch geschrieben wird, und Vorlagen. */
import type { thread as english } from '../en/thread.ts';

export const composer: (typeof english)['composer'] = {
  label: 'Schreiben',
  kind: 'Antwort oder Notiz',
  reply: 'Antwort',
  note: 'Notiz',
  replyPlaceholder: 'Antwort schreiben, oder / für einen Textbaustein',
  notePlaceholder: 'Eine Notiz für das Team. Mit @ jemanden nennen',
  send: 'Senden',
  saveNote: 'Notiz speichern',
  attach: 'Dateien anhängen',
  waitingFiles: count =>
    count === 1 ? '1 Datei gehört zu Ihrer Antwort' : `${count} Dateien gehören zu Ihrer Antwort`,
  count: (count, most) => `${count} von ${most} Zeichen`,
  tooLong: (_over, shown) => `${shown} Zeichen zu viel`,
  replyingTo: author => `Antwort an ${author}`,
  cancelReply: 'Nicht darauf antworten',
  sendBy: {
    enter: () => 'Enter sendet',
    modEnter: key => `${key} Enter sendet`,
  },
  writeReply: 'Antwort schreiben',
  writeNote: 'Notiz schreiben',
  unsent: 'Was Sie geschrieben haben, zum Kopieren',
  sendSetting: 'Was eine Nachricht sendet',
  mentions: 'Kolleginnen und Kollegen',
  cannedReplies: 'Textbausteine',
  readingCannedReplies: 'Textbausteine werden gelesen …',
  unreadCannedReplies:
    'Textbausteine lassen sich nicht lesen. Escape und dann Enter sendet dies, wie es ist.',
  noCannedReplies: 'Dieses Projekt hat noch keine Textbausteine.',
  writeCannedReplies: 'Einen schreiben',
  archived:
    'Archivierte Gespräche nehmen keine Nachrichten an. Holen Sie es aus dem Archiv, um zu antworten.',
  readOnly: 'Ihre Rolle erlaubt es, diese Gespräche zu lesen, nicht aber, zu antworten.',
  noChannel: 'Dieses Gespräch hat keinen Kanal: Was Sie schreiben, wird aufbewahrt und erreicht niemanden.',
  windowClosed: 'Das Fenster dieses Gesprächs ist geschlossen: Nur Vorlagen können gesendet werden.',
  notAllowed: why => `Zurzeit kann nichts gesendet werden: ${why}`,
  wouldFail: why => `Das würde nicht gesendet: ${why}`,
  chooseTemplate: 'Vorlage wählen',
  removeFile: name => `${name} entfernen`,
  uploading: (name, percent) => `${name}: ${percent} gesendet`,
  uploadFailed: 'Konnte nicht hochgeladen werden',
  uploadAgain: name => `${name} noch einmal hochladen`,
  waiting: 'Wartet auf die Verbindung',
  waitingBehind: 'Wartet auf die Nachricht davor',
  sending: 'Wird gesendet',
  refused: why => `Nicht gesendet: ${why}`,
  tooOld: 'sie hat einen Tag lang gewartet',
  again: 'Noch einmal senden',
  discard: 'Verwerfen',
  queued: count =>
    count === 1 ? '1 Nachricht wartet auf die Verbindung' : `${count} Nachrichten warten auf die Verbindung`,
  typing: names => `${names} schreibt`,
  severalTyping: names => `${names} schreiben`,
  viewing: names => `${names} schaut hinein`,
  severalViewing: names => `${names} schauen hinein`,
};

export const templates: (typeof english)['templates'] = {
  title: 'Vorlagen',
  search: 'Vorlagen suchen',
  none: 'Es gibt keine freigegebenen Vorlagen.',
  noneFound: 'Keine freigegebene Vorlage enthält diese Wörter.',
  failed: 'Die Vorlagen konnten nicht gelesen werden.',
  parameter: name => `Wert von {{${name}}}`,
  ofHeader: name => `Wert von {{${name}}} in der Kopfzeile`,
  file: {
    image: 'Link zum Bild',
    video: 'Link zum Video',
    document: 'Link zum Dokument',
  },
  fileHint: 'Der Chat-Anbieter holt die Datei von dort.',
  noFileAddress: 'Ein Link beginnt mit https://',
  url: button => `Ende der Adresse, die „${button}“ öffnet`,
  code: button => `Code, den „${button}“ kopiert`,
  notFromHere: {
    header: kind =>
      `Lässt sich hier nicht senden: Die Kopfzeile hat die Art ${kind}, die nur die API füllen kann.`,
    button: kind =>
      `Lässt sich hier nicht senden: Die Vorlage hat eine Schaltfläche der Art ${kind}, die nur die API füllen kann.`,
    component: kind =>
      `Lässt sich hier nicht senden: Die Vorlage hat einen Teil der Art ${kind}, den nur die API füllen kann.`,
  },
  send: 'Vorlage senden',
  back: 'Alle Vorlagen',
  close: 'Vorlagen schließen',
  preview: 'So wird sie lauten',
  buttons: 'Schaltflächen',
};
