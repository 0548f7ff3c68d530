/** The palette: going anywhere by a name. */
export const palette = {
  title: 'Go to …',
  placeholder: 'A page, a channel, a webhook, a tool …',
  results: 'What was found',
  groups: {
    pages: 'Pages',
    things: 'In this environment',
    environments: 'Projects and environments',
    actions: 'Actions',
  },
  searching: 'Searching …',
  nothing: 'Nothing fits. Try fewer or other words.',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  dark: 'Dark appearance',
  light: 'Light appearance',
};
