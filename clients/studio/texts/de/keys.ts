/** API-Schlüssel. */
import type { StudioTexts } from '../en/index.ts';

export const keys: StudioTexts['keys'] = {
  title: 'API-Schlüssel',
  about:
    'Damit melden sich Ihre Programme an. Ein Schlüssel gehört dem Projekt und überdauert den, der ihn angelegt hat.',
  create: 'API-Schlüssel anlegen',
  name: 'Name',
  nameHint: 'Was ihn benutzt, und wo: „Shop-Backend“.',
  prefix: 'Beginnt mit',
  environment: 'Umgebung',
  environments: { test: 'Sandbox', live: 'Produktion' },
  scopes: 'Was er darf',
  preset: 'Gedacht für',
  presets: {
    conversations: 'Unterhaltungen',
    webhooks: 'Webhooks',
    agents: 'Agenten und Werkzeuge',
    readOnly: 'Nur lesen',
  },
  ownPreset: 'Eigene Auswahl',
  status: 'Zustand',
  states: { active: 'Aktiv', rotating: 'Wird ersetzt', revoked: 'Widerrufen' },
  lastUsed: 'Zuletzt benutzt',
  lastAddress: 'Letzte Adresse',
  created: 'Angelegt',
  expires: 'Läuft ab',
  never: 'Nie',
  inDays: days => `In ${days} Tagen`,
  none: 'Noch kein API-Schlüssel',
  noneHint: 'Legen Sie einen für das erste Programm an, das hier lesen oder schreiben soll.',
  actions: name => `${name} ändern`,
  rename: 'Umbenennen',
  rotate: 'Neues Geheimnis',
  rotateTitle: name => `Ein neues Geheimnis für ${name}`,
  rotateHint:
    'Der Schlüssel bekommt sofort ein neues Geheimnis. Das alte gilt so lange, wie Sie wählen, damit Ihre Programme wechseln können.',
  revoke: 'Widerrufen',
  revokeTitle: name => `${name} widerrufen?`,
  revokeHint: 'Programme, die ihn benutzen, werden ab jetzt abgewiesen. Das lässt sich nicht zurücknehmen.',
  secretOnce:
    'Kopieren Sie das Geheimnis jetzt: Es wird dieses eine Mal gezeigt und nirgends lesbar gespeichert.',
  done: 'Ich habe es kopiert',
  snippet: {
    prepare:
      'Das Geheimnis in eine Variable der Shell: dies ausführen, das Geheimnis einfügen, Enter drücken.',
    copyPreparation: 'Befehl kopieren, der das Geheimnis liest',
    about: 'Dann ein erster Aufruf, der es von dort nimmt:',
    copy: 'Aufruf kopieren',
    curl: 'curl',
    sdk: 'SDK',
    cli: 'Befehlszeile',
  },
};
