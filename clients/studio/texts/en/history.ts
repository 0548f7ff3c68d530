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
    'channel.status.changed': 'State changed',
    'channel.credential.expiring': 'The access token expires soon, and cannot be renewed automatically',
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
  system: 'System',
  formerMember: 'A former member',
  key: (id: string) => `API key ${id}`,
  none: 'No changes recorded yet. Changes made before this version of the server are not shown.',
};

export type HistoryTexts = typeof history;
