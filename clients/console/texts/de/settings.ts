/** Was jeder für sich einstellt, und was Benachrichtigungen sagen. */
import type { settings as english } from '../en/settings.ts';

export const settings: typeof english = {
  title: 'Einstellungen',
  back: 'Zurück zu den Gesprächen',
  profile: {
    title: 'Konto',
    name: 'Name',
    nameHint: 'Unter diesem Namen sehen die anderen Sie.',
    save: 'Speichern',
    color: 'Farbe',
    colors: {
      gray: 'Grau',
      red: 'Rot',
      pink: 'Rosa',
      grape: 'Purpur',
      violet: 'Violett',
      indigo: 'Indigo',
      blue: 'Blau',
      cyan: 'Cyan',
      teal: 'Petrol',
      green: 'Grün',
      lime: 'Limette',
      yellow: 'Gelb',
      orange: 'Orange',
    },
  },
  appearance: { title: 'Erscheinungsbild und Sprache', languageHint: 'Die Seite wird neu geladen.' },
  notifications: {
    title: 'Benachrichtigungen',
    inTitle: 'Zahl im Titel der Seite',
    inTitleHint: 'In wie vielen Gesprächen es Neues gibt, seit Sie weggesehen haben.',
    desktop: 'Benachrichtigungen auf dem Schreibtisch',
    desktopHint: 'Während Sie anderswo sind. Sie nennen den Teilnehmer.',
    refused: 'Der Browser erlaubt es nicht: ändern Sie das in seinen Einstellungen für diese Seite.',
    text: 'Mit dem, was geschrieben wurde',
    textHint: 'Wer Ihren Bildschirm sieht, liest es mit.',
    sound: 'Ein Ton',
    about: 'Für',
    abouts: {
      mine: 'Meine Gespräche',
      unassigned: 'Meine Gespräche und die, die niemand hat',
      all: 'Alle Gespräche',
    },
  },
  notices: {
    message: 'Neue Nachricht',
    assigned: 'Ihnen zugewiesen',
    suggestion: 'Ein Vorschlag wartet auf Sie',
    mention: 'Jemand aus dem Team erwähnt Sie',
  },
};
