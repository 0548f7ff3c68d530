/** Was aus der Verbindung eines Kanals wurde. */
import type { HistoryTexts } from '../en/history.ts';

export const history: HistoryTexts = {
  title: 'Zustand im Lauf der Zeit',
  at: 'Wann',
  status: 'Zustand',
  what: 'Was geschah',
  who: 'Durch',
  event: 'Ereignis',
  changed: (from, to) => `${from} → ${to}`,
  events: {
    'channel.lifecycle.created': 'Angelegt',
    'channel.status.changed': 'Sein Zustand änderte sich',
    'channel.credential.expiring': 'Das Zugriffstoken endet bald und lässt sich nicht von selbst erneuern',
    'channel.credential.expired': 'Das Zugriffstoken wurde abgelehnt',
    'channel.credential.renewed': 'Das Zugriffstoken wurde erneuert',
  },
  expires: date => `Token bis ${date}`,
  code: code => `Code ${code} des Anbieters`,
  steps: {
    exchange_code: 'Den Code eintauschen',
    inspect_token: 'Das Token prüfen',
    find_account: 'Das Konto finden',
    find_number: 'Die Nummer finden',
    subscribe_app: 'Die App anmelden',
    register_number: 'Die Nummer registrieren',
    install_callback: 'Die Webhooks leiten',
    interrupted: 'Unterbrochen',
  },
  system: 'Von selbst',
  formerMember: 'Jemand, der kein Mitglied mehr ist',
  key: id => `API-Schlüssel ${id}`,
  none: 'Noch ist nichts aufgezeichnet: Änderungen werden ab dieser Version des Servers aufbewahrt. Die nächste erscheint hier.',
};
