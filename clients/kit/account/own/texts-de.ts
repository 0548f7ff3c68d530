/** Das Konto dessen, der angemeldet ist. */
import type { ownAccount as english } from './texts-en.ts';

export const ownAccount: typeof english = {
  presentPassword: 'Jetziges Passwort',
  code: 'Code der App',
  codeOrRecovery: 'Code der App oder ein Ersatzcode',
  codeHint: 'Nur wenn Sie einen zweiten Faktor eingerichtet haben. Für einen Passkey bleibt das Feld leer.',
  cancel: 'Abbrechen',
  email: {
    title: 'E-Mail-Adresse',
    intro:
      'Wir schicken einen Link an die neue Adresse. Bis Sie ihn öffnen, melden Sie sich mit der jetzigen an.',
    newEmail: 'Neue E-Mail-Adresse',
    submit: 'Link schicken',
    mailed: email => `Eine Mail an ${email} ist unterwegs. Ihr Link gilt 24 Stunden.`,
    tooMany:
      'Das waren zu viele Versuche. Höchstens fünf Links werden in einer Stunde verschickt: Versuchen Sie es später noch einmal.',
  },
  password: {
    title: 'Passwort',
    intro: 'Ein neues Passwort meldet Sie überall sonst ab.',
    submit: 'Passwort ändern',
    done: 'Ihr Passwort ist geändert.',
  },
  passkeys: {
    title: 'Passkeys',
    intro:
      'Mit einem Passkey melden Sie sich durch Finger, Gesicht oder PIN an. Wenn Sie einen haben, braucht ihn auch eine Anmeldung mit Passwort, oder einen Ersatzcode.',
    elsewhere: 'Passkeys gibt es nur unter dieser Adresse:',
    unknown: 'Dieser Browser kennt keine Passkeys.',
    facts: (added, used) =>
      used === undefined
        ? `Hinzugefügt ${added}, noch nicht benutzt`
        : `Hinzugefügt ${added}, zuletzt benutzt ${used}`,
    backedUp: 'Synchronisiert',
    add: 'Passkey hinzufügen',
    name: 'Name',
    nameHint: 'Zum Beispiel das Gerät oder der Schlüsselbund, der ihn verwahrt.',
    rename: 'Umbenennen',
    renameOne: name => `Passkey umbenennen: ${name}`,
    save: 'Namen speichern',
    remove: 'Entfernen',
    removeOne: name => `Passkey entfernen: ${name}`,
    removing: name => `Um „${name}“ zu entfernen, geben Sie Ihr Passwort ein.`,
    more: 'Mehr zeigen',
  },
  secondFactor: {
    title: 'Zweiter Faktor',
    intro:
      'Mit ihm braucht eine Anmeldung Ihr Passwort und einen Code aus einer App auf Ihrem Telefon oder einen Passkey.',
    on: since => `Die App ist seit ${since} eingeschaltet.`,
    left: left => (left === 1 ? 'Ein Ersatzcode ist übrig.' : `${left} Ersatzcodes sind übrig.`),
    setUp: 'Zweiten Faktor einrichten',
    proceed: 'Weiter',
    scan: 'Scannen Sie diesen Code mit Ihrer Authenticator-App und geben Sie die sechs Ziffern ein, die sie zeigt.',
    qrCode: 'QR-Code für Ihre Authenticator-App',
    type: 'Wenn Sie ihn nicht scannen können, tippen Sie diesen Schlüssel in die App:',
    confirm: 'Einschalten',
    renew: 'Neue Ersatzcodes holen',
    remove: 'Zweiten Faktor entfernen',
  },
  recoveryCodes: {
    title: 'Ihre Ersatzcodes',
    intro:
      'Wenn Sie Ihr Telefon verlieren, gilt jeder davon einmal als Code. Sie werden nicht noch einmal gezeigt: Bewahren Sie sie sicher auf.',
    copy: 'Codes kopieren',
    copied: 'Kopiert',
    kept: 'Ich habe sie aufbewahrt',
  },
  sessions: {
    title: 'Wo Sie angemeldet sind',
    intro: 'Wenn Sie eine davon nicht kennen, beenden Sie sie und ändern Sie Ihr Passwort.',
    device: (browser, system) =>
      browser === null
        ? (system ?? 'Unbekanntes Gerät')
        : system === null
          ? browser
          : `${browser} auf ${system}`,
    current: 'Diese hier',
    facts: (address, since, used) => `Von ${address}, seit ${since}, zuletzt benutzt ${used}`,
    end: 'Beenden',
    endOne: device => `Sitzung beenden: ${device}`,
    endOthers: 'Alle anderen beenden',
    more: 'Mehr zeigen',
  },
  remove: {
    title: 'Konto löschen',
    intro:
      'Ihr Name und Ihre Adresse verschwinden aus allen Arbeitsbereichen, und niemand kann sich damit anmelden. Was Sie geschrieben haben und die API-Schlüssel, die Sie angelegt haben, bleiben bei ihren Projekten. Das lässt sich nicht rückgängig machen.',
    sure: 'Ich will mein Konto löschen.',
    submit: 'Konto löschen',
    owned:
      'Hier sind Sie der letzte Eigentümer. Übergeben Sie diese Arbeitsbereiche an jemanden oder archivieren Sie sie:',
  },
};
