/** Was alle Web-Apps sagen. */
import type { english } from './en.ts';
export const german: typeof english = {
  account: {
    email: 'E-Mail',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    passwordHint: 'Mindestens 8 Zeichen',
    required: 'Bitte füllen Sie dies aus.',
    emailForm: 'Das ist keine E-Mail-Adresse.',
    passwordLength: 'Ein Passwort hat 8 bis 256 Zeichen.',
    toSignIn: 'Zurück zur Anmeldung',
    openMailbox: 'Postfach öffnen',
    signIn: {
      title: 'Anmelden',
      submit: 'Anmelden',
      forgot: 'Passwort vergessen?',
      signUp: 'Konto anlegen',
      sso: 'Single Sign-on',
    },
    sso: {
      title: 'Single Sign-on',
      intro: 'Geben Sie Ihre dienstliche E-Mail-Adresse ein: Ihre Organisation meldet Sie an.',
      proceed: 'Weiter',
      unknown: 'Keine Organisation meldet Adressen dieser Domain an. Melden Sie sich mit Ihrem Passwort an.',
      denied:
        'Ihre Organisation hat Sie nicht angemeldet. Versuchen Sie es noch einmal, oder fragen Sie, wer sie betreut.',
      finishing: 'Sie werden angemeldet',
      over: 'Diese Anmeldung ist vorbei oder wurde woanders begonnen. Beginnen Sie noch einmal.',
    },
    ownTitle: 'Ihr Konto',
    secondStep: {
      code: 'Code der App oder ein Ersatzcode',
      title: 'Code eingeben',
      intro: 'Ihr Konto hat einen zweiten Faktor: Der Code steht in Ihrer Authenticator-App.',
      recoveryCode: 'Oder ein Ersatzcode',
      byPasskey: {
        title: 'Bestätigen Sie, dass Sie es sind',
        intro: 'Ihr Konto hat einen Passkey, den eine Anmeldung nach dem Passwort braucht.',
      },
      over: 'Diese Anmeldung ist vorbei. Geben Sie Ihr Passwort noch einmal ein.',
    },
    passkey: {
      signIn: 'Mit einem Passkey anmelden',
      use: 'Passkey benutzen',
      over: 'Das hat zu lange gedauert. Versuchen Sie es noch einmal.',
    },
    secondFactorHint: {
      about: workspaces => `Sie brauchen einen zweiten Faktor für: ${workspaces}.`,
      setUp: 'In Ihrem Konto einrichten',
    },
    signUp: {
      title: 'Konto anlegen',
      intro:
        'Es bringt einen eigenen Arbeitsbereich mit. Um dem Ihres Teams beizutreten, öffnen Sie die Einladung in Ihrer Mail.',
      workspace: 'Name Ihres Arbeitsbereichs',
      workspaceHint: 'Er lässt sich später ändern.',
      submit: 'Konto anlegen',
    },
    forgot: {
      title: 'Passwort vergessen?',
      intro: 'Wir schicken einen Link an Ihre Adresse, mit dem Sie ein neues festlegen.',
      submit: 'Link schicken',
      sent: email =>
        `Wenn ${email} hier ein Konto hat, ist eine Mail dorthin unterwegs. Ihr Link gilt einmal, für 60 Minuten.`,
    },
    reset: {
      title: 'Neues Passwort festlegen',
      intro: 'Es ersetzt das alte und meldet Sie überall ab.',
      submit: 'Passwort festlegen',
      done: 'Ihr neues Passwort ist festgelegt.',
    },
    changeEmail: {
      title: 'Neue E-Mail-Adresse bestätigen',
      intro: 'Geben Sie das Passwort Ihres Kontos ein. Danach melden Sie sich mit dieser Adresse an.',
      submit: 'Adresse ändern',
      done: 'Ihre E-Mail-Adresse ist geändert.',
      ssoRequired:
        'Ihre Organisation verlangt für Ihre jetzige Adresse Single Sign-on. Deshalb lässt sie sich nicht ändern.',
    },
    join: {
      title: 'Dem Arbeitsbereich beitreten',
      intro: 'Jemand hat Sie in einen Arbeitsbereich eingeladen.',
      submit: 'Beitreten',
      known: 'Ihre Adresse hat hier ein Konto. Geben Sie dessen Passwort ein, um beizutreten.',
      wrong:
        'Das ist nicht das Passwort Ihres Kontos. Hat es einen zweiten Faktor, melden Sie sich zuerst an und öffnen Sie dann den Link noch einmal.',
      fresh: 'Ihre Adresse hat hier noch kein Konto. Wählen Sie ein Passwort dafür.',
    },
    verify: {
      title: 'E-Mail-Adresse bestätigen',
      intro: 'Bestätigen Sie, dass Sie das Konto mit dieser E-Mail-Adresse angelegt haben.',
      submit: 'Adresse bestätigen',
      done: 'Ihre E-Mail-Adresse ist bestätigt.',
      goOn: app => `Zu ${app}`,
      unverified: 'Bestätigen Sie zuerst Ihre E-Mail-Adresse',
      mailed: email =>
        `Öffnen Sie den Link in der Mail an ${email}, um zu beginnen. Ist keine da, schicken Sie sie noch einmal.`,
      resend: 'Mail noch einmal schicken',
      resent: 'Eine Mail ist unterwegs.',
      tooMany:
        'An eine Adresse gehen höchstens fünf solche Mails in einer Stunde. Versuchen Sie es später noch einmal.',
      proceed: 'Ich habe sie bestätigt',
      signOut: 'Abmelden',
    },
    reject: {
      title: 'Konto entfernen',
      intro:
        'Jemand hat mit Ihrer E-Mail-Adresse ein Konto angelegt. Wenn Sie das nicht waren, drücken Sie den Knopf: Das Konto wird entfernt.',
      submit: 'Konto entfernen',
      done: 'Das Konto ist entfernt. Sie können diese Seite schließen.',
    },
    expired: {
      title: 'Ihre Sitzung ist zu Ende',
      intro: 'Melden Sie sich wieder an und machen Sie weiter: Was Sie geschrieben haben, ist noch da.',
    },
    noWorkspace: {
      title: 'Sie gehören zu keinem Arbeitsbereich',
      intro:
        'Sie haben ihn verlassen, oder jemand hat Sie entfernt. Bitten Sie um eine Einladung: In ihrer Mail steht ein Link, mit dem Sie beitreten.',
      proceed: 'Ich bin beigetreten',
    },
    problems: {
      wrong: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
      ssoRequired: 'Ihre Organisation verlangt Single Sign-on. Der Link dazu steht unten.',
      ssoFailed:
        'Ihre Organisation hat Sie nicht angemeldet: Sie muss Ihre Adresse und deren Domain bestätigt haben.',
      noWorkspace: 'Ihr Konto gehört zu keinem Arbeitsbereich mehr. Bitten Sie um eine Einladung.',
      closed:
        'Dieser Server nimmt keine neuen Konten an. Bitten Sie jemanden aus Ihrem Team um eine Einladung.',
      codeNeeded: 'Ihr Konto hat einen zweiten Faktor. Geben Sie einen Code ein.',
      commonPassword:
        'Dieses Passwort ist zu verbreitet: Angreifer probieren es zuerst. Wählen Sie ein anderes.',
      addressAsPassword: 'Ihre E-Mail-Adresse ist kein sicheres Passwort. Wählen Sie ein anderes.',
      inUse: 'Diese Adresse hat schon ein Konto. Melden Sie sich damit an.',
      domain: 'Dieser Server nimmt keine Konten mit Adressen wie Ihrer an.',
      unverified:
        'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Öffnen Sie den Link, den wir an sie geschickt haben.',
      usedLink:
        'Dieser Link gilt nicht. Vielleicht wurde er schon benutzt, oder eine neuere Mail hat ihn ersetzt.',
      expiredLink: 'Dieser Link ist abgelaufen. Bitten Sie um eine neue Mail.',
      wrongPassword: 'Das ist nicht das Passwort Ihres Kontos.',
      wrongCode:
        'Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten. Ist auch der falsch, dann lassen Sie das Gerät seine Uhr selbst stellen.',
      wrongPasskey:
        'Mit diesem Passkey kann sich hier niemand anmelden. Vielleicht wurde er aus Ihrem Konto entfernt.',
      unfinishedPasskey:
        'Es wurde kein Passkey benutzt. Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
      knownPasskey: 'Dieses Gerät oder dieser Schlüsselbund hat schon einen Passkey Ihres Kontos.',
      tooMany: 'Das waren zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
      busy: 'Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.',
      unreachable:
        'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
      incompleteLink: 'Diese Adresse ist nicht vollständig. Öffnen Sie den Link, wie er in der Mail steht.',
      other: (reason, requestId) => `${reason} (${requestId})`,
    },
  },
  shell: {
    close: 'Schließen',
    sandbox: 'Sandbox',
    production: 'Produktion: echte Kunden',
    place: 'Projekt und Umgebung',
    loading: 'Wird geladen',
    unreachable: 'Der Server ist nicht erreichbar. Es geht von selbst weiter, sobald er es wieder ist.',
    failed: 'Diese Seite lässt sich nicht anzeigen.',
    reload: 'Noch einmal laden',
    notFound: 'An dieser Adresse gibt es nichts.',
    toStart: app => `Zu ${app}`,
    user: name => `${name}: Einstellungen und Abmelden`,
    appearance: 'Darstellung',
    schemes: { light: 'Hell', dark: 'Dunkel', auto: 'Wie das System' },
    language: 'Sprache',
    signOut: 'Abmelden',
    controlKey: 'Strg',
  },
};
