/** Nachrichten, gefunden durch das, was man von ihnen weiß, und was aus jeder wurde. */
import { fate } from '../../../kit/texts/de-fate.ts';
import type { StudioTexts } from '../en/index.ts';

export const messages: StudioTexts['messages'] = {
  title: 'Nachrichten',
  about:
    'Was aus einer Nachricht wurde: ihre Quittungen, die Läufe von Agenten, und jeder Webhook, der von ihr berichtete.',
  field: 'Nachricht, Unterhaltung oder Teilnehmer',
  fieldHint:
    'Die ID einer Nachricht oder einer Unterhaltung, eine ID beim Anbieter des Kanals, eine Telefonnummer oder ein Name.',
  find: 'Finden',
  hint: 'Geben Sie ein, was Sie von der Nachricht haben: ihre ID aus einem Protokoll oder einem Webhook, die ID beim Anbieter, oder mit wem sie gewechselt wurde.',
  nothing: q => `Von „${q}“ ist in dieser Umgebung nichts bekannt.`,
  missing: 'Diese Nachricht gibt es in dieser Umgebung nicht.',
  noMessages: 'In dieser Unterhaltung gibt es noch keine Nachrichten.',
  conversations: 'Unterhaltungen mit diesem Teilnehmer',
  lastMessage: 'Letzte Nachricht:',
  toEvents: 'Ihre Ereignisse',
  toConsole: 'In der Konsole öffnen',
  at: 'Wann',
  direction: 'Richtung',
  directions: { inbound: 'Empfangen', outbound: 'Gesendet' },
  text: 'Text',
  status: 'Zustand',
  states: {
    queued: 'Wartet',
    sent: 'Gesendet',
    delivered: 'Zugestellt',
    read: 'Gelesen',
    failed: 'Gescheitert',
  },
  thread: 'Unterhaltung',
  channel: 'Kanal',
  externalId: 'ID beim Anbieter',
  timeline: {
    title: fate.title,
    nothing: 'Davon ist nichts mehr aufgezeichnet: Ereignisse werden 30 Tage aufbewahrt.',
    by: 'Von',
    actors: {
      contact: 'dem Teilnehmer',
      user: 'einer Person',
      agent: 'einem Agenten',
      api_key: 'einem API-Schlüssel',
      system: 'dem Server',
    },
    reported: 'Nach der Uhr des Anbieters:',
    webhook: 'Webhook',
    deliveriesOf: eventName => `Webhook-Zustellungen von ${eventName}`,
    toDelivery: 'Zustellung öffnen',
    toRun: 'Schritte zeigen',
    toolUsed: 'Ein Werkzeug wurde benutzt',
    toolFailed: 'Ein Werkzeug scheiterte',
    toTool: 'Werkzeug zeigen',
    eventNames: fate.events,
  },
};
