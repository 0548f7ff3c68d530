/** Mitglieder, ihre Rollen und Einladungen. */
import type { StudioTexts } from '../en/index.ts';

export const team: StudioTexts['team'] = {
  title: 'Team',
  about:
    'Wer in diesem Arbeitsbereich arbeitet. Studio ist für alle, die bauen, die Konsole für alle, die antworten.',
  name: 'Name',
  email: 'E-Mail',
  you: 'Sie',
  since: 'Mitglied seit',
  studioRole: 'In Studio',
  studioRoleOf: email => `Rolle von ${email} in Studio`,
  studioRoles: { owner: 'Inhaber', admin: 'Administrator', viewer: 'Leser' },
  studioRoleHints: {
    admin: 'Ändert alles außer dem Inhaber, in allen Projekten.',
    viewer: 'Liest und ändert nichts.',
  },
  consoleRole: project => `In der Konsole von ${project}`,
  consoleRoleShort: 'In der Konsole',
  consoleRoleOf: email => `Rolle von ${email} in der Konsole`,
  consoleRoles: { project_owner: 'Leitung', agent: 'Betreuer', viewer: 'Leser' },
  consoleRoleHints: {
    project_owner: 'Antwortet und kümmert sich um Betreuer und Textbausteine.',
    agent: 'Beantwortet Unterhaltungen.',
    viewer: 'Liest Unterhaltungen.',
  },
  noConsoleRole: 'Keine',
  none: 'Hier arbeitet niemand.',
  invite: 'Jemanden einladen',
  sendInvitation: 'Einladung senden',
  invitations: 'Einladungen',
  noInvitations: 'Niemand ist eingeladen.',
  invitedAt: 'Eingeladen',
  state: 'Zustand',
  invitationStates: {
    open: 'Wartet',
    accepted: 'Angenommen',
    revoked: 'Zurückgenommen',
    expired: 'Abgelaufen',
  },
  revoke: 'Zurücknehmen',
  revokeOne: email => `Einladung von ${email} zurücknehmen`,
  revokeTitle: email => `Einladung von ${email} zurücknehmen?`,
  revokeHint: 'Ihr Link gilt dann nicht mehr.',
  remove: 'Entfernen',
  removeOne: email => `${email} entfernen`,
  removeTitle: name => `${name} entfernen?`,
  removeHint:
    'Alle Rollen in allen Projekten dieses Arbeitsbereichs enden sofort. Was angelegt wurde, bleibt.',
};
