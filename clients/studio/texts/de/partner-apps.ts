/** Partner-Apps: die Apps beim Chat-Anbieter, mit denen Kanäle verbunden werden. */
import type { PartnerAppTexts } from '../en/partner-apps.ts';

export const partnerApps: PartnerAppTexts = {
  title: 'Partner-Apps',
  about:
    'Die Apps, die Sie beim Chat-Anbieter haben. Mit ihnen werden Kanäle aller Projekte des Arbeitsbereichs verbunden; das Geheimnis einer App prüft auch, was der Anbieter sendet.',
  create: 'App registrieren',
  name: 'Name',
  appId: 'App-ID',
  fingerprint: 'Geheimnis',
  fingerprintHint: 'Ein Fingerabdruck: das Geheimnis selbst wird niemandem wieder gezeigt.',
  config: 'Konfiguration der Anmeldung',
  status: 'Zustand',
  states: { active: 'Aktiv', revoked: 'Widerrufen' },
  created: 'Registriert',
  changed: 'Geändert',
  revokedAt: 'Widerrufen',
  id: 'ID',
  none: 'Noch keine App',
  noneHint:
    'Machen Sie eine App beim Chat-Anbieter, und registrieren Sie sie hier mit ihrem Geheimnis. Dann lassen sich Kanäle verbinden, durch eine Anmeldung im Browser oder mit einem Token.',
  forAdmins: 'Inhaber und Administratoren des Arbeitsbereichs registrieren Apps.',
  guide: 'Wie Kanäle verbunden werden',
  actions: name => `${name} ändern`,
  rotate: 'Neues Geheimnis',
  revoke: 'Widerrufen',
  form: {
    nameHint: 'Wie Ihr Team sie kennt.',
    appIdHint: 'Die Nummer, die der Anbieter in den Einstellungen der App zeigt.',
    appSecret: 'Geheimnis der App',
    appSecretHint: 'Aus den Einstellungen der App. Es wird versiegelt, und niemandem wieder gezeigt.',
    config: 'ID der Konfiguration der eingebetteten Anmeldung',
    configHint:
      'Unter „Facebook Login for Business“ in den Einstellungen der App. Nur zum Verbinden im Browser; sie lässt sich auch dann eingeben.',
  },
  made: {
    about:
      'Kopieren Sie das Prüftoken jetzt: es wird nur dieses eine Mal gezeigt. Sie brauchen es nur, wenn die eigene Callback-Adresse der App beim Anbieter von Hand eingestellt wird.',
    webhookUrl: 'Callback-Adresse der App, mit der ID eines Kanals statt ch_REPLACE_WITH_CHANNEL_ID',
    copyWebhookUrl: 'Callback-Adresse kopieren',
    redirectUri: 'Rückkehradresse, für die gültigen Rückkehradressen der App beim Anbieter',
    copyRedirect: 'Rückkehradresse kopieren',
    done: 'Ich habe es kopiert',
  },
  rotateTitle: name => `Ein neues Geheimnis für ${name}`,
  rotateHint:
    'Machen Sie zuerst beim Anbieter ein neues Geheimnis, und geben Sie es dann gleich hier ein. Aufrufe benutzen es von nun an. Webhooks, die noch mit dem alten signiert sind, werden 24 Stunden lang angenommen.',
  rotated: 'Das neue Geheimnis ist in Gebrauch.',
  revokeTitle: name => `${name} widerrufen?`,
  revokeHint:
    'Mit ihr lässt sich kein Kanal mehr verbinden, und ihr Geheimnis wird gelöscht. Das lässt sich nicht zurücknehmen. Eine App, die ein Kanal benutzt, kann nicht widerrufen werden.',
  inUse: 'Trennen Sie zuerst diese Kanäle, oder verbinden Sie sie mit einer anderen App:',
  close: 'Schließen',
};
