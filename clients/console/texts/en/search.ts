/** The palette: finding conversations, and going anywhere. */
export const search = {
  title: 'Search',
  field: 'Search',
  placeholder: 'Search conversations, go to …, or > for what can be done',
  results: 'What was found',
  groups: {
    threads: 'Conversations',
    page: 'This conversation, and its list',
    queues: 'Queues',
    environments: 'Projects and environments',
    actions: 'Actions',
  },
  commands: { assign: 'Assign to …', mode: 'Agent mode …', snooze: 'Snooze …' },
  searching: 'Searching …',
  nothing: 'No results. Try fewer or different words: the last one may be unfinished.',
  all: (words: string) => `All results for “${words}”`,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  dark: 'Dark appearance',
  light: 'Light appearance',
};
