/** The same in German. */
import type { fate as english } from './en-fate.ts';

export const fate: typeof english = {
  title: 'Was aus der Nachricht wurde',
  events: {
    'thread.message.received': 'Empfangen',
    'thread.message.created': 'Geschrieben',
    'thread.message.updated': 'Geändert',
    'channel.message.requested': 'Dem Kanal übergeben',
    'channel.message.sent': 'Gesendet',
    'channel.message.delivered': 'Zugestellt',
    'channel.message.read': 'Gelesen',
    'channel.message.delivery_failed': 'Nicht zugestellt',
  },
  delivery: {
    pending: 'Wartet',
    delivering: 'Wird gesendet',
    delivered: 'Zugestellt',
    retrying: 'Wird wiederholt',
    failed: 'Gescheitert',
    cancelled: 'Verworfen',
  },
};
