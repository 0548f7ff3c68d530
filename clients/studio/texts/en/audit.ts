/** The audit log. */
export const audit = {
  title: 'Audit log',
  about: 'Who has changed what in this workspace, newest first.',
  action: 'Action',
  actionHint: 'Action, such as api_key.created',
  actor: 'By',
  anybody: 'Anybody',
  actors: { user: 'User', api_key: 'API key', system: 'Server' },
  target: 'What',
  at: 'When',
  address: 'From',
  request: 'Request',
  details: 'Details',
  none: 'Nothing is found.',
};
