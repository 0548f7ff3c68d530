/** Ein Arbeitsbereich, seine Projekte und deren Umgebungen. */
import type { WorkspaceTexts } from '../en/workspace.ts';

export const workspace: WorkspaceTexts = {
  about: 'Ein Arbeitsbereich enthält Projekte und die Menschen, die darin arbeiten.',
  projects: 'Projekte',
  project: 'Projekt',
  environments: 'Umgebungen',
  production: 'Produktion',
  archived: 'Archiviert',
  created: 'Erstellt',
  noProjects: 'Noch kein Projekt',
  noProjectsHint: 'Erstellen Sie eines: Es hat eine Sandbox, in der Sie alles ausprobieren können.',
  name: 'Name',
  save: 'Speichern',
  createProject: 'Projekt erstellen',
  createProjectHint: 'Es hat eine Sandbox. Produktion kommt hinzu, wenn Sie sie brauchen.',
  environmentName: 'Name der Umgebung',
  createProduction: 'Produktion erstellen',
  productionHint:
    'Aus der Produktion werden echte Kunden erreicht. Sie hat eigene Kanäle, Webhooks und Live-Schlüssel. Ein Projekt hat genau eine, und sie lässt sich nicht entfernen.',
  newWorkspace: 'Neuer Arbeitsbereich',
  archiveWorkspace: 'Arbeitsbereich archivieren',
  restoreWorkspace: 'Arbeitsbereich wiederherstellen',
  acts: {
    rename: 'Umbenennen',
    production: 'Produktion hinzufügen',
    archive: 'Archivieren',
    restore: 'Wiederherstellen',
  },
  actOn: {
    rename: name => `${name} umbenennen`,
    production: name => `${name}: Produktion hinzufügen`,
    archive: name => `${name} archivieren`,
    restore: name => `${name} wiederherstellen`,
  },
  archiveProjectHint:
    'Seine API-Schlüssel werden abgewiesen, seine Webhooks senden nicht mehr, und seine Kanäle nehmen nichts an. Agenten beenden, was sie gerade tun. Nichts wird gelöscht: Alles bleibt lesbar, und das Projekt kann wiederhergestellt werden.',
  archiveWorkspaceHint:
    'Das gilt für alle seine Projekte: API-Schlüssel werden abgewiesen, Webhooks senden nicht mehr, und Kanäle nehmen nichts an. Agenten beenden, was sie gerade tun. Nichts wird gelöscht: Alles bleibt lesbar, und ein Inhaber kann den Arbeitsbereich wiederherstellen.',
  restoreHint:
    'API-Schlüssel gelten wieder, Webhooks senden wieder, und Kanäle nehmen wieder Nachrichten an.',
  secondFactor: {
    title: 'Zweiter Faktor',
    demand: 'Von jedem Mitglied einen zweiten Faktor verlangen',
    hint: 'Mitglieder ohne einen können ihn dann nur einrichten oder den Arbeitsbereich verlassen. API-Schlüssel gelten weiter. Sie brauchen selbst einen.',
    isDemanded: 'Jedes Mitglied braucht einen zweiten Faktor.',
    isNotDemanded: 'Mitglieder brauchen keinen zweiten Faktor.',
  },
  sso: {
    title: 'Single Sign-on',
    about:
      'Wer eine Adresse Ihrer Domains hat, meldet sich über Ihren Identitätsanbieter an (OpenID Connect). Wer kein Konto hat, bekommt eines, als Betrachter dieses Arbeitsbereichs.',
    forAdmins: 'Inhaber und Administratoren des Arbeitsbereichs sehen, wie er Menschen anmeldet.',
    redirectUri: 'Redirect-URI',
    redirectHint: 'Tragen Sie sie beim Anbieter ein.',
    issuer: 'Aussteller (Issuer)',
    issuerHint: 'Die Adresse, unter der sich der Anbieter beschreibt, ohne /.well-known.',
    clientId: 'Client-ID',
    clientSecret: 'Client-Secret',
    secretStays: 'Es ist hinterlegt und wird niemandem gezeigt. Leer lassen, um es zu behalten.',
    otherIssuer: 'Mit einem anderen Aussteller muss jede Domain neu nachgewiesen werden.',
    save: 'Anbieter speichern',
    remove: 'Anbieter entfernen',
    removeHint:
      'Niemand meldet sich mehr über ihn an. Konten und Rollen bleiben: Wer kein Passwort hat, setzt eines über „Passwort vergessen?“.',
    domains: 'Domains',
    domain: 'Domain',
    domainHint: 'Was nach dem @ der Adressen steht.',
    addDomain: 'Domain hinzufügen',
    proven: 'Nachgewiesen',
    notProven: 'Nicht nachgewiesen',
    proof:
      'Weisen Sie nach, dass die Domain Ihnen gehört: Setzen Sie diesen TXT-Eintrag in ihrem DNS. Bis dahin meldet sich niemand darüber an.',
    recordName: 'Name:',
    recordValue: 'Wert:',
    prove: 'Nach dem Eintrag suchen',
    require: 'Single Sign-on von ihren Adressen verlangen',
    requireHint:
      'Passwörter und Passkeys werden für sie dann abgewiesen, und wer anders angemeldet ist, wird binnen 15 Minuten abgemeldet. Inhaber dieses Arbeitsbereichs behalten ihre, damit jemand den Anbieter reparieren kann.',
    requireOf: domain => `Single Sign-on für ${domain} verlangen`,
    requireAction: 'Verlangen',
    requireOwn:
      'Ihre eigene Adresse gehört dazu, und Sie sind kein Inhaber: Hat der Anbieter Sie nicht angemeldet, werden Sie binnen 15 Minuten abgemeldet und kommen nur über den Anbieter zurück. Prüfen Sie vorher, dass er Sie anmeldet.',
    removeDomain: 'Entfernen',
    removeOne: domain => `${domain} entfernen`,
    removeDomainHint: 'Ihre Adressen melden sich nicht mehr über den Anbieter an.',
  },
};
