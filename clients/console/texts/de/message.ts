/** Was in einem Gespräch steht: Nachrichten, Dateien, Notizen und Ereignisse. */
import type { thread as english } from '../en/thread.ts';

export const message: (typeof english)['message'] = {
  actions: 'Was mit dieser Nachricht zu tun ist',
  reply: 'Auf diese Nachricht antworten',
  timeline: 'Was daraus wurde',
  run: 'Wie der Agent darauf kam',
  agent: 'Agent',
  program: 'Programm',
  system: 'System',
  version: version => `v${version}`,
  status: {
    queued: 'Wartet',
    sent: 'Gesendet',
    delivered: 'Zugestellt',
    read: 'Gelesen',
    failed: 'Nicht zugestellt',
  },
  failedBecause: why => `Nicht zugestellt: ${why}`,
  unknownOutcome: 'Der Anbieter hat nicht geantwortet: Sie kann trotzdem angekommen sein.',
  retry: 'Noch einmal senden',
  empty: 'Kein Text',
  forwarded: { once: 'Weitergeleitet', often: 'Oft weitergeleitet' },
  unknownQuote: 'Eine Nachricht, die hier nicht zu sehen ist',
  showQuote: 'Diese Nachricht zeigen',
  referral: 'Kam über eine Anzeige',
  reactedWith: emoji => `Reagierte mit ${emoji}`,
  reactionRemoved: 'Nahm eine Reaktion zurück',
  showMore: 'Alles zeigen',
  showLess: 'Weniger zeigen',
};

export const content: (typeof english)['content'] = {
  location: 'Standort',
  openMap: 'Karte öffnen',
  contact: 'Kontakt',
  order: 'Bestellung',
  quantity: count => `${count} ×`,
  interactive: {
    button: 'Gewählt',
    list: 'Aus der Liste gewählt',
    form: 'Formular ausgefüllt',
    other: 'Geantwortet',
  },
  template: (name, language) => `Vorlage ${name} (${language})`,
  unsupported: 'Eine Art von Nachricht, die hier nicht gezeigt werden kann',
  system: {
    number_changed: 'Der Teilnehmer hat eine neue Nummer',
    user_id_changed: 'Der Teilnehmer hat eine neue Kennung',
    identity_changed: 'Der Sicherheitscode des Teilnehmers hat sich geändert',
    message_edited: 'Der Teilnehmer hat eine Nachricht geändert',
    message_deleted: 'Der Teilnehmer hat eine Nachricht gelöscht',
    other: 'Eine Mitteilung des Anbieters',
  },
};

export const files: (typeof english)['files'] = {
  kinds: { image: 'Bild', audio: 'Ton', video: 'Video', document: 'Dokument', sticker: 'Sticker' },
  voice: 'Sprachnachricht',
  pending: 'Wird geholt',
  failed: why => `Konnte nicht geholt werden: ${why}`,
  unavailable: 'Die Datei kann nicht gezeigt werden',
  unplayable: 'Das lässt sich hier nicht abspielen',
  open: name => `${name} öffnen`,
  download: name => `${name} herunterladen`,
  read: 'Hier lesen',
  empty: 'Die Datei ist leer.',
  cut: size => `Das sind die ersten ${size}. Laden Sie die Datei für den Rest herunter.`,
  next: 'Nächstes Bild',
  previous: 'Voriges Bild',
};

export const note: (typeof english)['note'] = {
  label: 'Notiz',
  edited: 'geändert',
  edit: 'Notiz ändern',
  delete: 'Notiz löschen',
  confirmDelete: 'Löschen',
  keep: 'Behalten',
};

const nameTags = (tags: readonly string[]): string =>
  `${tags.length === 1 ? 'das Schlagwort' : 'die Schlagwörter'} ${tags.join(', ')}`;

export const events: (typeof english)['events'] = {
  assigned: (by, to) => (by === to ? `${by} übernahm das Gespräch` : `${by} wies das Gespräch ${to} zu`),
  released: by => `${by} gab das Gespräch frei`,
  status: {
    open: by => `${by} öffnete das Gespräch wieder`,
    closed: by => `${by} schloss das Gespräch`,
    archived: by => `${by} archivierte das Gespräch`,
  },
  mode: {
    auto: by => `${by} ließ den Agenten selbst antworten`,
    suggest: by => `${by} ließ den Agenten vorschlagen`,
    paused: by => `${by} hielt den Agenten an`,
    none: by => `${by} gab dem Gespräch den Modus seines Agenten`,
  },
  tags: {
    added: (by, tags) => `${by} vergab ${nameTags(tags)}`,
    removed: (by, tags) => `${by} entfernte ${nameTags(tags)}`,
    changed: (by, added, removed) => `${by} änderte ${nameTags(removed)} in ${added.join(', ')}`,
  },
  snoozed: (by, until) => `${by} stellte das Gespräch bis ${until} zurück`,
  woken: by => `${by} weckte das Gespräch`,
  handoff: reason => `Der Agent bat um einen Menschen: ${reason}`,
  discarded: (by, reason) =>
    reason === undefined ? `${by} verwarf einen Vorschlag` : `${by} verwarf einen Vorschlag: ${reason}`,
  budget: 'Ein Budget ist aufgebraucht: Der Agent hat aufgehört',
  answerLimit: 'Zu viele automatische Antworten: Der Agent schlägt Antworten jetzt nur noch vor',
  erased: by => `${by} löschte die persönlichen Daten`,
};
