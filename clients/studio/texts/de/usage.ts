/** Verbrauch und Budgets. */
import type { StudioTexts } from '../en/index.ts';

export const usage: StudioTexts['usage'] = {
  title: 'Verbrauch',
  about:
    'Nachrichten, Agenten, Tokens und was sie kosten, nach Tagen in UTC. Kosten sind Schätzungen nach der Preistabelle.',
  grouping: 'Gruppiert nach',
  by: { day: 'Tag', agent: 'Agent', channel: 'Kanal', model: 'Modell', provider: 'Anbieter' },
  span: 'Tage',
  lastDays: days => `Letzte ${days} Tage`,
  messages: 'Nachrichten',
  inbound: 'Herein',
  outbound: 'Hinaus',
  runs: 'Agentenläufe',
  toolCalls: 'Werkzeugaufrufe',
  tokens: 'Tokens',
  cost: 'Kosten',
  noAgent: 'Kein Agent',
  noChannel: 'Kein Kanal',
  webhooks: 'Webhooks',
  deliveries: 'Zustellungen',
  attempts: 'Zustellversuche',
  none: 'In dieser Zeit wurde nichts verbraucht. Wählen Sie mehr Tage, oder schreiben Sie auf einem Kanal.',
  today: {
    title: 'Heute',
    spent: 'Ausgegeben',
    left: 'Übrig vom Tagesbudget',
    unlimited: 'Unbegrenzt',
    ended: 'Durch ein Budget beendete Läufe',
    share: percent => `Ausgegeben: ${percent} des Tagesbudgets`,
  },
  budgets: {
    title: 'Budgets',
    of: {
      perRunMicros: 'Für einen Lauf',
      perThreadMicros: 'Für eine Unterhaltung',
      perProjectDayMicros: 'Für einen Tag',
    },
    unlimited: 'Unbegrenzt',
    onExceeded: 'Jenseits eines Budgets',
    exceeded: {
      suggest: 'schlägt der Agent Antworten nur vor',
      paused: 'pausiert der Agent und überlässt die Unterhaltung Menschen',
    },
    save: 'Budgets speichern',
  },
};
