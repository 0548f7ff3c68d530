/** What became of the connection of a channel. */
export const history = {
  title: 'Status over time',
  at: 'When',
  status: 'State',
  what: 'What happened',
  who: 'By',
  event: 'Event',
  changed: (from: string, to: string) => `${from} → ${to}`,
  events: {
    'channel.lifecycle.created': 'Created',
    'channel.status.changed': 'Its state changed',
    'channel.credential.expiring': 'The access token ends soon, and cannot be renewed by itself',
    'channel.credential.expired': 'The access token was refused',
    'channel.credential.renewed': 'The access token was renewed',
  },
  expires: (date: string) => `Token until ${date}`,
  code: (code: number) => `provider’s code ${code}`,
  steps: {
    exchange_code: 'Exchanging the code',
    inspect_token: 'Checking the token',
    find_account: 'Finding the account',
    find_number: 'Finding the number',
    subscribe_app: 'Subscribing the app',
    register_number: 'Registering the number',
    install_callback: 'Directing the webhooks',
    interrupted: 'Interrupted',
  },
  system: 'By itself',
  formerMember: 'Somebody who is no member any more',
  key: (id: string) => `API key ${id}`,
  none: 'Nothing is recorded yet: changes are kept from this version of the server on. The next one appears here.',
};

export type HistoryTexts = typeof history;
