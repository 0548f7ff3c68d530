/** Alle Texte der Konsole auf Deutsch. */
import type { ConsoleTexts } from './en.ts';

export const german: ConsoleTexts = {
  appName: 'Konsole',
  signIn: {
    title: 'Anmelden',
    email: 'E-Mail',
    password: 'Passwort',
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    wrong: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    unreachable: 'Der Server ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  },
};
