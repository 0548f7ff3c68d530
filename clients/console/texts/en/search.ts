/** The palette: finding conversations, and going anywhere. */
export const search = {
  title: 'Search',
  field: 'Search',
  placeholder: 'Search conversations, or go to …',
  results: 'What was found',
  groups: {
    threads: 'Conversations',
    queues: 'Queues',
    environments: 'Projects and environments',
    actions: 'Actions',
  },
  searching: 'Searching …',
  nothing: 'Nothing fits. Try fewer or other words: the last one may be unfinished.',
  all: (words: string) => `All results for “${words}”`,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  dark: 'Dark appearance',
  light: 'Light appearance',
};
