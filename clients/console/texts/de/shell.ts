/** Anmelden, der Rahmen um alles, Warteschlangen und Listen. */
import type { shell as english } from '../en/shell.ts';

export const shell: typeof english = {
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
