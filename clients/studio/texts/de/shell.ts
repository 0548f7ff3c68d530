/** Der Rahmen um alles, und die Teile, aus denen alle Seiten bestehen. */
import type { StudioTexts } from '../en/index.ts';

export const shell: StudioTexts['shell'] = {
  appName: 'Studio',
  navLabel: 'Seiten',
  noProject:
    'Sie gehören noch zu keinem Projekt. Bitten Sie einen Administrator Ihres Arbeitsbereichs, Sie aufzunehmen.',
  noSuchPlace: 'Dieses Projekt oder diese Umgebung gibt es nicht.',
  noSuchPlaceHint:
    'Es existiert nicht, oder Sie haben darin keine Rolle. Wenden Sie sich an einen Administrator des Arbeitsbereichs, wenn das ein Irrtum ist.',
  elsewhere: 'Zu einem anderen Projekt',
  noSuchWorkspace: 'Diesen Arbeitsbereich gibt es nicht.',
  noSuchWorkspaceHint:
    'Er existiert nicht, oder Sie gehören nicht dazu. Wenden Sie sich an einen seiner Administratoren, wenn das ein Irrtum ist.',
  projectArchived: 'Dieses Projekt ist archiviert: Alles ist lesbar, nichts lässt sich ändern.',
  workspaceArchived: 'Dieser Arbeitsbereich ist archiviert: Alles ist lesbar, nichts lässt sich ändern.',
  toProject: 'Zurück zum Projekt',
  missingFiles:
    'Ein Teil dieser Seite konnte nicht geladen werden: Vielleicht gibt es eine neuere Version, oder die Verbindung fehlt. Speichern Sie, was Sie geändert haben, und laden Sie die Seite dann neu.',
  pages: {
    home: 'Start',
    channels: 'Kanäle',
    webhooks: 'Webhooks',
    messages: 'Nachrichten',
    events: 'Ereignisse',
    keys: 'API-Schlüssel',
    agents: 'Agenten',
    instructions: 'Anweisungen',
    tools: 'Werkzeuge',
    runs: 'Läufe',
    credentials: 'Modellanbieter',
    usage: 'Verbrauch',
    team: 'Team',
    audit: 'Änderungsprotokoll',
    workspace: 'Arbeitsbereich',
    partnerApps: 'Partner-Apps',
    account: 'Ihr Konto',
    system: 'System',
  },
  groups: { build: 'Verbinden', agents: 'Agenten', manage: 'Verwalten', account: 'Sie' },
  console: 'Konsole öffnen',
  reference: 'API-Referenz',
};

export const table: StudioTexts['table'] = {
  columns: 'Spalten',
  actions: 'Aktionen',
  more: 'Mehr anzeigen',
  noneYet: 'Bisher nichts gefunden: Es ist noch nicht alles durchgesehen.',
  archived: 'Archivierte',
  noneArchived: 'Es ist nichts archiviert.',
};

export const errors: StudioTexts['errors'] = {
  request: requestId => `Anfrage ${requestId}`,
  explanation: 'Was das bedeutet',
};

export const secret: StudioTexts['secret'] = {
  copy: 'Geheimnis kopieren',
  copied: 'Kopiert',
  done: 'Ich habe es kopiert',
  rotate: 'Neues Geheimnis',
  gracePeriod: 'Das alte Geheimnis gilt noch',
  graces: { '0': 'keinen Augenblick', '300': '5 Minuten', '3600': '1 Stunde', '86400': '24 Stunden' },
  grace: clock => `altes Geheimnis gilt noch ${clock}`,
};

export const confirm: StudioTexts['confirm'] = {
  cancel: 'Abbrechen',
  leaves: 'Was hier geschrieben ist, ist nicht gesichert. Trotzdem verlassen?',
  typeName: name => `Zum Bestätigen „${name}“ eingeben`,
};
