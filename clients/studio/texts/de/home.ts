/** Der Anfang eines Projekts. */
import type { StudioTexts } from '../en/index.ts';

export const home: StudioTexts['home'] = {
  about:
    'Vom leeren Projekt zum Webhook, der ankommt, in wenigen Schritten. Jeder hakt sich ab, wenn er geschehen ist.',
  checklist: 'Erste Schritte',
  allDone: 'Alles läuft',
  done: (done, all) => `${done} von ${all} erledigt`,
  stepDone: 'Erledigt',
  stepOpen: 'Offen',
  toChannels: 'Einen Sandbox- oder eigenen Kanal zum Ausprobieren anlegen',
  steps: {
    channel: {
      title: 'Kanal anlegen',
      about:
        'Teilnehmer schreiben auf einem Kanal. Ein Sandbox-Kanal braucht keinen Anbieter: Sie spielen den Teilnehmer.',
      action: 'Kanal anlegen',
    },
    message: {
      title: 'Erste Nachricht senden',
      about: 'Schreiben Sie wie ein Teilnehmer. Die Unterhaltung erscheint hier und in der Konsole.',
      action: 'Senden',
    },
    key: {
      title: 'API-Schlüssel anlegen',
      about: 'Damit liest und schreibt Ihr Programm über die API.',
      action: 'API-Schlüssel anlegen',
    },
    webhook: {
      title: 'Webhook anlegen',
      about: 'Der Server sagt Ihrem Programm, was geschieht: signiert und in der richtigen Reihenfolge.',
      action: 'Webhook anlegen',
    },
    delivery: {
      title: 'Eine Zustellung ankommen sehen',
      about: 'Senden Sie ein Testereignis und sehen Sie, was Ihr Empfänger antwortet.',
      action: 'Webhook öffnen',
    },
    verify: {
      title: 'Ihre E-Mail-Adresse bestätigen',
      about:
        'Produktion, Live-Schlüssel, Einladungen, ein zweiter Faktor, Passkeys und Single Sign-on brauchen es. Mails zu Ihrem Konto und Ihren Webhooks gehen nur an bestätigte Adressen.',
    },
  },
};
