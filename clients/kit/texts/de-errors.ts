/** Was die Ablehnungen des Servers bedeuten, nach ihrem Code. Wird bei der ersten geladen. */
import { german } from './de.ts';
import type { ErrorTexts } from './en-errors.ts';

const { other, unreachable } = german.account.problems;

export const germanErrors: ErrorTexts = {
  errors: {
    'svc/auth/missing_credentials': 'Sie sind abgemeldet. Melden Sie sich wieder an.',
    'svc/auth/insufficient_scope': 'Ihre Rolle erlaubt das nicht.',
    'svc/auth/expired_token': 'Ihre Sitzung ist beendet. Melden Sie sich wieder an.',
    'svc/auth/invalid_token': 'Ihre Sitzung ist beendet. Melden Sie sich wieder an.',
    'svc/auth/invalid_credentials': 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    'svc/auth/invalid_code': 'Dieser Code ist falsch oder wurde schon verwendet.',
    'svc/auth/no_workspace': 'Sie gehören zu keinem Workspace.',
    'svc/auth/email_in_use': 'Zu dieser E-Mail-Adresse gibt es schon ein Konto.',
    'svc/auth/email_domain_not_allowed': 'Adressen dieser Domain werden hier nicht angenommen.',
    'svc/auth/email_not_verified': 'Bestätigen Sie zuerst Ihre E-Mail-Adresse.',
    'svc/auth/login_required': 'Melden Sie sich zuerst an.',
    'svc/validation/invalid_request': reason =>
      `Eine Angabe wird nicht angenommen. Der Server sagt dazu: ${reason}`,
    'svc/runtime/invalid_request': reason => `Das wird so nicht angenommen. Der Server sagt dazu: ${reason}`,
    'svc/runtime/conflict': reason => `Das geht im Augenblick nicht. Der Server sagt dazu: ${reason}`,
    'svc/runtime/not_found': 'Das gibt es nicht, oder Sie dürfen es nicht sehen.',
    'svc/runtime/idempotency_conflict':
      'Dasselbe ist noch in Arbeit. Sehen Sie nach, ob es geschehen ist, bevor Sie es noch einmal versuchen.',
    'svc/runtime/precondition_failed':
      'Inzwischen hat jemand anderes etwas geändert. Sehen Sie noch einmal nach, bevor Sie speichern.',
    'svc/runtime/storage_full':
      'Der Server hat keinen Platz, um das zu speichern. Lesen und Löschen gehen weiterhin. Informieren Sie den Betreiber des Servers.',
    'svc/runtime/unavailable': 'Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.',
    'svc/runtime/internal_error': (_reason, requestId) =>
      `Auf dem Server ist etwas schiefgegangen. Geschieht es wieder, melden Sie diese Nummer: ${requestId}`,
    'svc/rate_limit/exceeded':
      'Das war zu viel auf einmal. Warten Sie einen Moment und versuchen Sie es noch einmal.',
    'svc/console/not_found': 'Das gibt es nicht, oder Sie dürfen es nicht sehen.',
    'svc/console/forbidden': 'Sie gehören nicht zu diesem Projekt.',
    'svc/chatapp/connect_failed': reason =>
      `Der Kanal konnte nicht verbunden werden. Der Server sagt dazu: ${reason}`,
    'svc/chatapp/channel_not_connected': 'Dieser Kanal ist noch nicht verbunden.',
    'svc/chatapp/template_required':
      'Die 24 Stunden nach der letzten Nachricht des Teilnehmers sind vorbei: Senden Sie eine Vorlage.',
    'svc/partner_app/in_use': 'Diese Partner-App wird noch von Kanälen verwendet.',
    'svc/agent_runs/suggestion_already_resolved': 'Jemand war schneller: Über den Vorschlag ist entschieden.',
  },
  other,
  unreachable,
};
