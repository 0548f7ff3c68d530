/** `skein events`: the catalogue. */
import { eventTypeColumns } from '../columns.ts';
import { defineCommand, type Family } from '../command.ts';

export const events: Family = {
  name: 'events',
  description: 'the catalogue of events',
  commands: [
    defineCommand({
      usage: 'types',
      description: 'every event; with --json its schema',
      async run(context) {
        const skein = await context.connect();
        await context.output.list(skein.events.listTypes({ limit: 100 }), eventTypeColumns);
      },
    }),
  ],
};
